import { int, type Value } from '../../../go/value.ts';
import type { LiteralNode } from '../node.ts';
import { failParse } from '../place.ts';
import type { Evaluate } from '../scope.ts';
import { placeOf, type Unit } from '../unit.ts';

/** A literal: a number without a point is an int, one with a point a float64. */
export function compileLiteral(unit: Unit, node: LiteralNode): Evaluate {
  const value = literalValue(unit, node);
  return () => value;
}

function literalValue(unit: Unit, node: LiteralNode): Value {
  if (node.value instanceof RegExp) {
    return failParse(placeOf(unit, node), 'there are no regular expression literals: use regexMatch and its kin');
  }
  return typeof node.value === 'number' ? numberValue(unit, node, node.value) : node.value;
}

/** The parser keeps neither the kind of a number nor all digits of a large one, so the text is read again. */
function numberValue(unit: Unit, node: LiteralNode, parsed: number): Value {
  const text = (unit.source.lines[node.lineno] ?? '').slice(node.colno);
  const [, digits, point] = /^([0-9]+)(\.?)/.exec(text) ?? [];
  if (digits === undefined || point === '.') return parsed;
  const whole = int(BigInt(digits));
  if (whole.value !== BigInt(digits)) return failParse(placeOf(unit, node), `${digits} does not fit into 64 bits`);
  return whole;
}
