import type { StepName } from '../progress.ts';
import type { OperationState, PhaseName, Verb } from '../state/operation-state.ts';
import type { Work } from '../work.ts';
import type { StepTools } from './step-runner.ts';

/** Tools of a step that changes the state of its operation. */
export interface StateTools extends StepTools {
  /** Sets the state that counts if the step fails or is interrupted. */
  keep(state: OperationState): void;
  /** Keeps the state and saves it as a checkpoint. Default: it is needed; see `Checkpoints`. */
  save(state: OperationState, isNeeded?: boolean): Promise<void>;
}

/**
 * A step of an operation. It can run again after an interruption at any point: it looks at what is
 * there first. The runner sets the next step, unless the step itself has set another.
 */
export interface Step<Request> {
  id: string;
  /** Name in progress packets. Default: the step is not reported. */
  name?: StepName;
  /** Ignores the deadline and a cancel. Default: false. */
  isUnlimited?: boolean;
  /** The deadline and a cancel count once more after it, and then no more. Default: false. */
  isDecisive?: boolean;
  /**
   * An error does not end the phase, unless it is due to a cancel: it becomes one of the state's
   * `problems`. Default: false.
   */
  isTolerant?: boolean;
  /** It removes what the steps before it are found again by. Default: false. */
  isSavedBefore?: boolean;
  run(state: OperationState, work: Work<Request>, tools: StateTools): Promise<OperationState>;
}

/** Steps that run one after the other. */
export interface Phase<Request> {
  steps: readonly Step<Request>[];
  /**
   * `operation`: the deadline of the operation and a cancel. `own`: a time limit of its own.
   * `none`: no limit.
   */
  limit: 'operation' | 'own' | 'none';
  /** The step in progress packets that all its steps are part of. Default: none. */
  group?: StepName;
  /** Returns an error with which the phase fails although all steps have ended. */
  conclude?(state: OperationState): unknown;
}

/** The steps of a verb. */
export interface VerbTable<Request, Outcome> {
  phases: Partial<Record<PhaseName, Phase<Request>>> & { main: Phase<Request> };
  /** Returns the phases that follow a failure of the present phase. */
  undo(state: OperationState, request: Request): readonly PhaseName[];
  /** Returns the outcome of an operation that has ended, or throws its error. */
  outcome(state: OperationState, work: Work<Request>): Promise<Outcome>;
}

/** The tables of a verb and of those that it may turn into. */
export type VerbTables<Request, Outcome> = Partial<Record<Verb, VerbTable<Request, Outcome>>>;

/** Returns steps for another request, of which they use a part. */
export function stepsFor<Request, Part>(
  steps: readonly Step<Part>[],
  partOf: (request: Request) => Part,
): Step<Request>[] {
  return steps.map((step) => ({
    ...step,
    run: (state, work, tools) => step.run(state, { ...work, request: partOf(work.request) }, tools),
  }));
}
