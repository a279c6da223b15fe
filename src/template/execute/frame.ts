import type { Value } from '../../go/value.ts';
import type { AnyNode } from '../parse/node.ts';
import type { TemplateFile } from '../template-file.ts';

/**
 * Result of an expression. `undefined` means no value, which Go distinguishes from `null`, a nil in
 * a map or list.
 */
export type Slot = Value | undefined;

/** Value of a key that a map does not have: Go's option `missingkey`. */
export type MissingKey = 'invalid' | 'zero' | 'error';

/** A compiled expression: computes a value. */
export type Expression = (frame: Frame) => Slot;

/** How execution continues after a statement. */
export type Flow = typeof proceed | typeof breakLoop | typeof continueLoop;

export const proceed = 0;
export const breakLoop = 1;
export const continueLoop = 2;

/** A compiled statement: writes output. */
export type Statement = (frame: Frame) => Flow;

/** The template to which a node belongs. */
export interface Origin {
  readonly name: string;
  readonly file: TemplateFile;
}

/** A compiled template that can be run. */
export interface Runnable {
  run(execution: ExecutionState, dot: Slot): void;
}

/** State shared by all templates of an execution. */
export interface ExecutionState {
  /** The output so far. */
  out: string;
  /** Number of enclosing template calls. */
  depth: number;
  /** {@link depth} at the most recent template call. */
  lastCallDepth: number;
  readonly missingKey: MissingKey;
  readonly maxDepth: number;
  /** Returns a template of the current set by name. */
  lookup(name: string): Runnable | undefined;
  /** Returns the implementation of a bound function. */
  boundCall(name: string): (...args: Slot[]) => Value;
  /**
   * Counts a step, and records its position. Throws `TemplateLimitError` if a limit is exceeded.
   */
  step(origin: Origin, node: AnyNode): void;
  /**
   * Counts an argument or result of a function that is {@link isLarge large}. Throws
   * `TemplateLimitError` if a limit is exceeded.
   */
  countLarge(origin: Origin, node: AnyNode, value: Slot): void;
}

/** Whether a string or list is large enough to be counted. */
export function isLarge(value: Slot): boolean {
  if (typeof value === 'string') return value.length > 4096;
  return Array.isArray(value) && value.length > 256;
}

/** One run of a template: its dot and its variables. */
export class Frame {
  readonly execution: ExecutionState;
  dot: Slot;
  /**
   * Go's type of the elements if the dot is an element of a list or map, else empty; used in
   * errors.
   */
  dotType = '';
  readonly variables: Slot[];
  /** Like {@link dotType}, for variables declared by a range. */
  readonly variableTypes: string[] = [];
  /** The operand evaluated last, if that depends on values. */
  last: AnyNode | undefined = undefined;

  constructor(execution: ExecutionState, dot: Slot, variables: number) {
    this.execution = execution;
    this.dot = dot;
    this.variables = new Array<Slot>(variables);
    this.variables[0] = dot;
  }
}
