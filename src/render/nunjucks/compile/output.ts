import type { Node, OutputNode } from '../node.ts';
import { textOf } from '../output-text.ts';
import type { Execute } from '../scope.ts';
import { positionOf, type CompileContext } from '../compile-context.ts';
import { write } from '../write.ts';

/** Compiles text of the template, or an expression in double braces. */
export function compileOutput(context: CompileContext, node: OutputNode): Execute {
  const parts = node.children.map((child) => compilePart(context, child));
  return (scope) => {
    for (const part of parts) part(scope);
  };
}

function compilePart(context: CompileContext, node: Node): Execute {
  const position = positionOf(context, node);
  if (node.typename === 'TemplateData') return (scope) => write(scope, node.value, position);
  const expression = context.expression(node);
  return (scope) => write(scope, textOf(expression(scope), position), position);
}
