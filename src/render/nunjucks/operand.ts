import { goTypeOf } from '../../go/types.ts';
import type { Value } from '../../go/value.ts';
import { failAt, type Position } from './position.ts';

/** What an expression yields: a value, or one of the three things that are none. */
export type Operand = Value | Undefined | Callable | Module;

/** What a name stands for that is not there. It may be asked for (`if`, `or`, `default`, `is defined`), not used. */
export class Undefined {
  /** The expression that yielded it. */
  readonly expression: string;
  /** The part of the expression that is missing: `Values.image` where `Values.image.tag` was asked for. */
  readonly missing: string;

  constructor(expression: string, missing = expression) {
    this.expression = expression;
    this.missing = missing;
  }
}

/** What a function is called with. */
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

/** What `import` brings: the macros and variables of another template. */
export class Module {
  readonly exports: ReadonlyMap<string, Operand>;

  constructor(exports: ReadonlyMap<string, Operand>) {
    this.exports = exports;
  }
}

/** The value; an error where the operand is none. */
export function valueOf(operand: Operand, position: Position): Value {
  if (operand instanceof Undefined) return failUndefined(operand, position);
  if (operand instanceof Callable) return failAt(position, `${operand.name} is a function: call it with parentheses`);
  if (operand instanceof Module) return failAt(position, 'an imported template is no value: name one of its macros');
  return operand;
}

export function failUndefined({ expression, missing }: Undefined, position: Position): never {
  return failAt(position, `${expression} is undefined${missing === expression ? '' : `: there is no ${missing}`}`);
}

/** What kind of thing it is, for errors. */
export function kindText(operand: Operand): string {
  if (operand instanceof Undefined) return 'undefined';
  if (operand instanceof Callable) return 'a function';
  if (operand instanceof Module) return 'an imported template';
  return operand === null ? 'null' : `a value of type ${goTypeOf(operand)}`;
}
