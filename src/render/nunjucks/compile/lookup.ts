import { expressionText } from '../expression-text.ts';
import { lookUp } from '../frame.ts';
import { memberOf } from '../member.ts';
import type { LookupNode, SymbolNode } from '../node.ts';
import { Undefined } from '../operand.ts';
import { failParse } from '../place.ts';
import type { Evaluate } from '../scope.ts';
import { placeOf, type Unit } from '../unit.ts';

/** A name: a variable, else what the chart has under it, else a function. */
export function compileSymbol({ value: name }: SymbolNode): Evaluate {
  const absent = new Undefined(name);
  return ({ frame, context, page }) =>
    lookUp(frame, name) ?? context.variables.get(name) ?? page.globals.get(name) ?? page.functions.get(name) ?? absent;
}

/** `target.name` and `target[key]`. */
export function compileLookup(unit: Unit, node: LookupNode): Evaluate {
  const place = placeOf(unit, node);
  if (node.val === null) return failParse(place, 'there is no key between the brackets');
  const target = unit.expression(node.target);
  const key = unit.expression(node.val);
  const site = { expression: expressionText(node), target: expressionText(node.target), place };
  return (scope) => memberOf(target(scope), key(scope), site);
}
