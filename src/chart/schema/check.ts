import type { Value } from '../../go/value.ts';
import type { Failure } from './failure.ts';
import type { Schema } from './schema.ts';
import type { Unevaluated } from './unevaluated.ts';

/** A schema applied to a value, as the object and array keywords see it. */
export interface Check {
  readonly schema: Schema;
  readonly failures: Failure[];
  readonly unevaluated: Unevaluated;
  /** Whether only the verdict matters, not the reasons. */
  readonly quick: boolean;
  /** Records that a keyword is not met. */
  fail(text: string, causes?: readonly Failure[]): void;
  /** Records a failure of a subschema. */
  add(failure: Failure | undefined): void;
  /** Applies a schema to a part of the value. */
  part(schema: Schema, value: Value, step: string | number): Failure | undefined;
  /**
   * Applies another schema to the same value. If the value is valid, what that schema evaluates
   * counts as evaluated here.
   */
  same(schema: Schema, quick?: boolean): Failure | undefined;
  /** Applies a schema to an unrelated value, such as a property name. */
  alone(schema: Schema, value: Value): Failure | undefined;
}
