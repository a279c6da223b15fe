import { expressionText } from '../expression-text.ts';
import { lookUp } from '../frame.ts';
import { memberOf } from '../member.ts';
import type { LookupNode, SymbolNode } from '../node.ts';
import { Undefined } from '../operand.ts';
import { failParse } from '../position.ts';
import type { Evaluate } from '../scope.ts';
import { positionOf, type CompileContext } from '../compile-context.ts';

/** Compiles a name: a variable, otherwise a global of the chart, otherwise a function. */
export function compileSymbol({ value: name }: SymbolNode): Evaluate {
  const absent = new Undefined(name);
  return ({ frame, state, page }) =>
    lookUp(frame, name) ?? state.variables.get(name) ?? page.globals.get(name) ?? page.functions.get(name) ?? absent;
}

/** Compiles `target.name` and `target[key]`. */
export function compileLookup(context: CompileContext, node: LookupNode): Evaluate {
  const position = positionOf(context, node);
  if (node.val === null) return failParse(position, 'there is no key between the brackets');
  const target = context.expression(node.target);
  const key = context.expression(node.val);
  const site = { expression: expressionText(node), target: expressionText(node.target), position };
  return (scope) => memberOf(target(scope), key(scope), site);
}
