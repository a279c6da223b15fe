import type { Interruption } from '../template/execute/execution.ts';

/** Looks after a run of an engine. */
export interface Watch {
  /** The run comes to the template of that path. */
  begins(path: string): void;
  /** Why the run has to end; what is answered follows the name of the template. */
  readonly interruption: Interruption;
}
