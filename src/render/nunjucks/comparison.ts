import { deepEqual } from '../../go/deep-equal.ts';
import { compareStrings } from '../../go/text.ts';
import { isList, isMap } from '../../go/types.ts';
import { Int, type Value } from '../../go/value.ts';
import { isNumber, toFloat } from './arithmetic.ts';
import { kindText } from './operand.ts';
import { failAt, type Position } from './position.ts';

/**
 * Whether two values are equal. Numbers are compared by size regardless of their type, other values
 * by type and contents.
 */
export function areEqual(left: Value, right: Value): boolean {
  return isNumber(left) && isNumber(right) ? compareNumbers(left, right) === 0 : deepEqual(left, right);
}

/**
 * Compares two numbers or two texts. Returns a negative number, 0 or a positive number, and NaN if
 * one number is NaN.
 */
export function compare(left: Value, right: Value, position: Position): number {
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  return failAt(
    position,
    `only two numbers or two texts can be ordered: one is ${kindText(left)}, the other ${kindText(right)}`,
  );
}

function compareNumbers(left: number | Int, right: number | Int): number {
  if (left instanceof Int && right instanceof Int) return Number(left.value - right.value);
  const [a, b] = [toFloat(left), toFloat(right)];
  return a === b ? 0 : a - b;
}

/** Returns the result of a comparison operator. */
export function holds(operator: string, left: Value, right: Value, position: Position): boolean {
  switch (operator) {
    case '==':
    case '===':
      return areEqual(left, right);
    case '!=':
    case '!==':
      return !areEqual(left, right);
    case '<':
      return compare(left, right, position) < 0;
    case '<=':
      return compare(left, right, position) <= 0;
    case '>':
      return compare(left, right, position) > 0;
    default:
      return compare(left, right, position) >= 0;
  }
}

/** Implements the operator `in`: a key of a map, an element of a list, a part of a text. */
export function contains(container: Value, item: Value, position: Position): boolean {
  if (typeof container === 'string' && typeof item === 'string') return container.includes(item);
  if (isMap(container)) return typeof item === 'string' && container.has(item);
  if (isList(container)) return container.some((element) => areEqual(element, item));
  return failAt(position, `in needs a map, a list or two texts, not ${kindText(container)}`);
}
