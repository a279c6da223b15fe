import { Int, int, type Value } from '../../go/value.ts';
import type { ArithmeticNode } from './node.ts';
import { kindText } from './operand.ts';
import { failAt, type Position } from './position.ts';

export type Operator = ArithmeticNode['typename'];

const signs: Readonly<Record<Operator, string>> = {
  Add: '+',
  Sub: '-',
  Mul: '*',
  Div: '/',
  FloorDiv: '//',
  Mod: '%',
  Pow: '**',
};

/**
 * Computes with two numbers. Two integers give an integer, except with `/`; all other operands give
 * a float64.
 */
export function calculate(operator: Operator, left: Value, right: Value, position: Position): Value {
  if (!isNumber(left) || !isNumber(right)) {
    const sorts = `one is ${kindText(left)}, the other ${kindText(right)}`;
    return failAt(
      position,
      `${signs[operator]} needs two numbers: ${sorts}${operator === 'Add' ? ' (to join texts use ~)' : ''}`,
    );
  }
  const divides = operator === 'Div' || operator === 'FloorDiv' || operator === 'Mod';
  if (divides && toFloat(right) === 0) return failAt(position, 'division by zero');
  if (left instanceof Int && right instanceof Int) return withIntegers(operator, left.value, right.value);
  return withFloats(operator, toFloat(left), toFloat(right));
}

/** Returns the number with the opposite sign. */
export function negate(value: number | Int): Value {
  return value instanceof Int ? new Int(value.kind, -value.value) : -value;
}

export function isNumber(value: Value): value is number | Int {
  return typeof value === 'number' || value instanceof Int;
}

export function toFloat(value: number | Int): number {
  return value instanceof Int ? Number(value.value) : value;
}

function withIntegers(operator: Operator, left: bigint, right: bigint): Value {
  switch (operator) {
    case 'Add':
      return int(left + right);
    case 'Sub':
      return int(left - right);
    case 'Mul':
      return int(left * right);
    case 'FloorDiv': {
      const rest = left % right;
      return int(left / right - (rest !== 0n && rest < 0n !== right < 0n ? 1n : 0n));
    }
    case 'Mod':
      return int(left % right);
    case 'Div':
      return Number(left) / Number(right);
    case 'Pow': {
      const power = Number(left) ** Number(right);
      return Number.isSafeInteger(power) ? int(power) : power;
    }
  }
}

function withFloats(operator: Operator, left: number, right: number): number {
  switch (operator) {
    case 'Add':
      return left + right;
    case 'Sub':
      return left - right;
    case 'Mul':
      return left * right;
    case 'Div':
      return left / right;
    case 'FloorDiv':
      return Math.floor(left / right);
    case 'Mod':
      return left % right;
    case 'Pow':
      return left ** right;
  }
}
