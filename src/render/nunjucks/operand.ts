import { goTypeOf, truth } from '../../go/types.ts';
import { Int, type Value } from '../../go/value.ts';
import { printed } from '../../template/execute/print.ts';
import { failAt, type Position } from './position.ts';

/** Result of an expression: a value, or one of three things that are not values. */
export type Operand = Value | Undefined | Callable | Module;

/**
 * Result of an expression that does not exist. Templates can test it (`if`, `or`, `default`, `is
 * defined`), but not use it.
 */
export class Undefined {
  /** The expression that has this result. */
  readonly expression: string;
  /** The missing part of the expression, such as `Values.image` for `Values.image.tag`. */
  readonly missing: string;

  constructor(expression: string, missing = expression) {
    this.expression = expression;
    this.missing = missing;
  }
}

/** Arguments of a call. */
export interface Call {
  readonly args: readonly Operand[];
  readonly named: ReadonlyMap<string, Operand>;
  readonly position: Position;
}

/** A function, a method of a value, or a macro. */
export class Callable {
  readonly name: string;
  readonly call: (call: Call) => Operand;

  constructor(name: string, call: (call: Call) => Operand) {
    this.name = name;
    this.call = call;
  }
}

/** Result of `import`: the macros and variables of another template. */
export class Module {
  readonly exports: ReadonlyMap<string, Operand>;

  constructor(exports: ReadonlyMap<string, Operand>) {
    this.exports = exports;
  }
}

/** Returns the value. Throws RenderError if the operand is not a value. */
export function valueOf(operand: Operand, position: Position): Value {
  if (operand instanceof Undefined) return failUndefined(operand, position);
  if (operand instanceof Callable) return failAt(position, `${operand.name} is a function: call it with parentheses`);
  if (operand instanceof Module) return failAt(position, 'an imported template is not a value: use one of its macros');
  return operand;
}

export function failUndefined({ expression, missing }: Undefined, position: Position): never {
  return failAt(position, `${expression} is undefined${missing === expression ? '' : `: there is no ${missing}`}`);
}

/** Returns a description of the operand for errors. */
export function kindText(operand: Operand): string {
  if (operand instanceof Undefined) return 'undefined';
  if (operand instanceof Callable) return 'a function';
  if (operand instanceof Module) return 'an imported template';
  return operand === null ? 'null' : `a value of type ${goTypeOf(operand)}`;
}

/** Returns an operand as a template prints it: like Go, but null as an empty text. */
export function textOf(operand: Operand, position: Position): string {
  const value: Value = valueOf(operand, position);
  return value === null ? '' : printed(value);
}

/**
 * Whether `if` treats the operand as true. As in Go, null, zero and empty values are false;
 * undefined is false too.
 */
export function isTrue(operand: Operand): boolean {
  if (operand instanceof Undefined) return false;
  return operand instanceof Callable || operand instanceof Module || truth(operand);
}

/** Returns a whole number as an integer; undefined if the value is not a whole number. */
export function wholeNumber(value: Value): bigint | undefined {
  if (value instanceof Int) return value.value;
  return typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : undefined;
}
