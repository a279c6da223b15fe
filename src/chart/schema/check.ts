import type { Value } from '../../go/value.ts';
import type { Failure } from './failure.ts';
import type { Schema } from './schema.ts';
import type { Unevaluated } from './unevaluated.ts';

/** One schema being applied to one value: what the keywords for objects and arrays need of it. */
export interface Check {
  readonly schema: Schema;
  readonly failures: Failure[];
  readonly unevaluated: Unevaluated;
  /** Whether it matters only if the value fits, not why it does not. */
  readonly quick: boolean;
  /** Notes that a keyword is not met. */
  fail(text: string, causes?: readonly Failure[]): void;
  /** Notes a failure from below. */
  add(failure: Failure | undefined): void;
  /** Applies a schema to a part of the value. */
  part(schema: Schema, value: Value, step: string | number): Failure | undefined;
  /** Applies another schema to the same value; what it evaluates counts as evaluated here, where it fits. */
  same(schema: Schema, quick?: boolean): Failure | undefined;
  /** Applies a schema to a value of its own. */
  alone(schema: Schema, value: Value): Failure | undefined;
}
