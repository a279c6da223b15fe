import type { TaskPosition } from './tasks.ts';

/** Limits for one task. */
export interface TaskLimits {
  /** Processor time for one task, in milliseconds; it may take five times as long. */
  milliseconds: number;
  /** Memory for the values of one task, in MiB. */
  memoryMb: number;
}

/** Data that a thread receives when it starts. */
export interface ThreadSetup<Limits extends TaskLimits = TaskLimits> {
  limits: Limits;
  /** Resident memory of the process from which on a thread shrinks after each task, in bytes. */
  scarceBytes: number;
  /** Memory that the thread shares with the pool: see shared-state.ts. */
  state: SharedArrayBuffer;
}

/** A task to run. */
export interface TaskRequest {
  task: string;
  input: unknown;
}

/** Messages from a thread: it is ready once, and each task has parts and one outcome. */
export type ThreadMessage = { type: 'ready' } | { type: 'part'; part: unknown } | TaskOutcome;

/** The end of a task. */
export type TaskOutcome =
  | { type: 'done'; output: unknown }
  | { type: 'failed'; code: string; message: string; position?: TaskPosition }
  /** A defect of this program: an error without a code. */
  | { type: 'defect'; error: Error };
