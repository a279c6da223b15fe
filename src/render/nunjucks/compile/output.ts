import type { Node, OutputNode } from '../node.ts';
import { textOf } from '../output-text.ts';
import type { Execute } from '../scope.ts';
import { placeOf, type Unit } from '../unit.ts';
import { write } from '../write.ts';

/** Text of the template, or an expression in double braces. */
export function compileOutput(unit: Unit, node: OutputNode): Execute {
  const parts = node.children.map((child) => compilePart(unit, child));
  return (scope) => {
    for (const part of parts) part(scope);
  };
}

function compilePart(unit: Unit, node: Node): Execute {
  const place = placeOf(unit, node);
  if (node.typename === 'TemplateData') return (scope) => write(scope, node.value, place);
  const expression = unit.expression(node);
  return (scope) => write(scope, textOf(expression(scope), place), place);
}
