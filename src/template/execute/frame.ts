import type { Value } from '../../go/value.ts';
import type { AnyNode } from '../parse/node.ts';
import type { Source } from '../template-error.ts';

/** What an expression yields. `undefined` is no value at all, which Go tells apart from a nil that a map or list holds (`null`). */
export type Slot = Value | undefined;

/** What a field that a map lacks yields: Go's option `missingkey`. */
export type MissingKey = 'invalid' | 'zero' | 'error';

/** Part of a compiled template: computes a value. */
export type Expression = (frame: Frame) => Slot;

/** How the statements of a list go on. */
export type Flow = typeof goOn | typeof breakOut | typeof nextIteration;

export const goOn = 0;
export const breakOut = 1;
export const nextIteration = 2;

/** Part of a compiled template: writes something. */
export type Statement = (frame: Frame) => Flow;

/** The template that a part of the code belongs to. */
export interface Origin {
  readonly name: string;
  readonly source: Source;
}

/** A compiled template that can be run. */
export interface Runnable {
  run(running: Running, dot: Slot): void;
}

/** What all templates of an execution share. */
export interface Running {
  /** What has been written. */
  out: string;
  /** How many calls of templates there are around this place. */
  depth: number;
  /** What {@link depth} was at the call of a template that came last. */
  deepest: number;
  readonly missingKey: MissingKey;
  readonly maxDepth: number;
  /** The template of that name, as far as the set that is being executed has one. */
  lookup(name: string): Runnable | undefined;
  /** The function of an execution that is bound to a name. */
  boundCall(name: string): (...args: Slot[]) => Value;
  /** Counts a step, and remembers where it is. Throws `TemplateLimitError` past a limit. */
  step(origin: Origin, node: AnyNode): void;
  /** Counts what a function is given or has made, where that is {@link isLarge large}. Throws `TemplateLimitError` past a limit. */
  weigh(origin: Origin, node: AnyNode, value: Slot): void;
}

/** Whether a text or list is so large that it counts. */
export function isLarge(value: Slot): boolean {
  if (typeof value === 'string') return value.length > 4096;
  return Array.isArray(value) && value.length > 256;
}

/** One run of a template: its dot and its variables. */
export class Frame {
  readonly running: Running;
  dot: Slot;
  /** Go's type of the list's or map's elements where the dot is one of them, else empty: errors name it. */
  dotType = '';
  readonly variables: Slot[];
  /** As {@link dotType}, for variables that a range declares. */
  readonly variableTypes: string[] = [];
  /** The operand that was evaluated last, where that depends on values. */
  last: AnyNode | undefined = undefined;

  constructor(running: Running, dot: Slot, variables: number) {
    this.running = running;
    this.dot = dot;
    this.variables = new Array<Slot>(variables);
    this.variables[0] = dot;
  }
}
