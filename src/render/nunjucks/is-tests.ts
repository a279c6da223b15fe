import { isList, isMap } from '../../go/types.ts';
import { GoObject, type Value } from '../../go/value.ts';
import { int } from '../../go/value.ts';
import { calculate, isNumber } from './arithmetic.ts';
import { areEqual, holds } from './comparison.ts';
import { Callable, isTrue, type Operand, Undefined, valueOf } from './operand.ts';
import type { Position } from './position.ts';

/** A test for the operator `is`, with the left operand and at most one argument. */
export interface IsTest {
  readonly params: 0 | 1;
  readonly holds: (operand: Operand, argument: Value, position: Position) => boolean;
}

function ofOperand(check: (operand: Operand) => boolean): IsTest {
  return { params: 0, holds: check };
}

function ofValue(check: (value: Value, position: Position) => boolean): IsTest {
  return { params: 0, holds: (operand, _, position) => check(valueOf(operand, position), position) };
}

function withArgument(check: (value: Value, argument: Value, position: Position) => boolean): IsTest {
  return { params: 1, holds: (operand, argument, position) => check(valueOf(operand, position), argument, position) };
}

function comparing(operator: string): IsTest {
  return withArgument((value, argument, position) => holds(operator, value, argument, position));
}

function isDivisible(value: Value, by: Value, position: Position): boolean {
  return areEqual(calculate('Mod', value, by, position), int(0));
}

function contentsOf(value: Value): Value | undefined {
  return value instanceof GoObject ? value.contents() : value;
}

/** Nunjucks's tests by name. */
export const isTests: ReadonlyMap<string, IsTest> = new Map([
  ['defined', ofOperand((operand) => !(operand instanceof Undefined))],
  ['undefined', ofOperand((operand) => operand instanceof Undefined)],
  ['callable', ofOperand((operand) => operand instanceof Callable)],
  ['truthy', ofOperand(isTrue)],
  ['falsy', ofOperand((operand) => !isTrue(operand))],
  ['null', ofValue((value) => value === null)],
  ['number', ofValue(isNumber)],
  ['string', ofValue((value) => typeof value === 'string')],
  ['mapping', ofValue((value) => isMap(contentsOf(value)))],
  ['iterable', ofValue((value) => isMap(contentsOf(value)) || isList(contentsOf(value)))],
  ['lower', ofValue((value) => typeof value === 'string' && value.toLowerCase() === value)],
  ['upper', ofValue((value) => typeof value === 'string' && value.toUpperCase() === value)],
  ['even', ofValue((value, position) => isDivisible(value, int(2), position))],
  ['odd', ofValue((value, position) => !isDivisible(value, int(2), position))],
  ['divisibleby', withArgument(isDivisible)],
  ['eq', comparing('==')],
  ['equalto', comparing('==')],
  ['sameas', comparing('==')],
  ['ne', comparing('!=')],
  ['lt', comparing('<')],
  ['lessthan', comparing('<')],
  ['le', comparing('<=')],
  ['gt', comparing('>')],
  ['greaterthan', comparing('>')],
  ['ge', comparing('>=')],
]);
