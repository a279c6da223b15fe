import type { FieldPath } from './field-paths.ts';

/** The variables of conditions. */
export const conditionVariables = ['command', 'caller', 'release', 'chart', 'object', 'now'] as const;
export type ConditionVariable = (typeof conditionVariables)[number];

/** The values of the variables, as JSON. */
export interface ConditionValues extends Record<Exclude<ConditionVariable, 'now'>, unknown> {
  /** Time in milliseconds since the Unix epoch. */
  now: number;
}

/** The variables and fields that an expression reads. */
export interface ConditionReads {
  variables: readonly ConditionVariable[];
  /** Paths of the fields of these variables that it reads, with all below them. */
  reads: readonly FieldPath[];
}

/** The variables and fields that an expression reads, or why it is not one. */
export type CompiledCondition =
  (ConditionReads & { problem?: never }) | { problem: string; variables?: never; reads?: never };

/** Whether a condition holds. One that cannot be evaluated does not, and has a problem. */
export interface ConditionOutcome {
  holds: boolean;
  problem?: string;
}

/** Compiles and evaluates expressions in CEL. */
export interface ConditionEvaluator {
  /** Rejects with a code if the expressions take too much time or memory. */
  compile(expressions: readonly string[]): Promise<readonly CompiledCondition[]>;
  /** Rejects with a code if the expressions take too much time or memory. */
  evaluate(expressions: readonly string[], values: ConditionValues): Promise<readonly ConditionOutcome[]>;
  /**
   * Evaluates expressions for several objects, which are given as JSON texts. Rejects with a code
   * if they take too much time or memory.
   */
  evaluateObjects(
    expressions: readonly string[],
    values: ConditionValues,
    objects: readonly string[],
  ): Promise<readonly (readonly ConditionOutcome[])[]>;
}

/** Tasks of a thread for conditions. */
export interface ConditionTasks {
  compile: { input: { expressions: readonly string[] }; output: readonly CompiledCondition[] };
  evaluate: {
    input: { expressions: readonly string[]; values: ConditionValues };
    output: readonly ConditionOutcome[];
  };
  evaluateObjects: {
    input: { expressions: readonly string[]; values: ConditionValues; objects: readonly string[] };
    output: readonly (readonly ConditionOutcome[])[];
  };
}
