import type { Value } from '../../../go/value.ts';
import type { Node } from '../node.ts';
import { valueOf } from '../operand.ts';
import { failParse } from '../place.ts';
import type { Evaluate } from '../scope.ts';
import { placeOf, type Unit } from '../unit.ts';

/** An expression in parentheses. */
export function compileGroup(unit: Unit, node: Node, children: readonly Node[]): Evaluate {
  const [inner] = children;
  if (inner === undefined || children.length > 1) {
    return failParse(placeOf(unit, node), 'parentheses hold one expression; a list has brackets');
  }
  return unit.expression(inner);
}

/** `[a, b]`. */
export function compileList(unit: Unit, children: readonly Node[]): Evaluate {
  const elements = children.map((child) => ({ evaluate: unit.expression(child), place: placeOf(unit, child) }));
  return (scope) => elements.map(({ evaluate, place }) => valueOf(evaluate(scope), place));
}

/** `{key: value, "other key": value}`. */
export function compileMap(unit: Unit, children: readonly Node[]): Evaluate {
  const entries = children.map((pair) => {
    if (pair.typename !== 'Pair') return failParse(placeOf(unit, pair), 'a map has keys and values');
    return { key: keyOf(unit, pair.key), evaluate: unit.expression(pair.value), place: placeOf(unit, pair.value) };
  });
  return (scope) =>
    new Map<string, Value>(entries.map(({ key, evaluate, place }) => [key, valueOf(evaluate(scope), place)]));
}

function keyOf(unit: Unit, node: Node): string {
  if (node.typename === 'Symbol') return node.value;
  if (node.typename === 'Literal' && typeof node.value === 'string') return node.value;
  return failParse(placeOf(unit, node), 'the key of a map must be a name or a text');
}
