/** The tasks that a thread can run: for each name, plain data in and plain data out. */
export type TaskTypes<Types> = { [Name in keyof Types]: { input: unknown; output: unknown } };

/** Tools of a task besides returning its output. */
export interface TaskTools {
  /** Reports progress, and ends the task when it is to stop. */
  supervisor: Supervisor;
  /**
   * Sends a piece of the output ahead of the rest, and blocks until the pool has received it.
   * Large lists are sent in parts so that the event loop of the pool never reads one in one go.
   */
  sendPart: (part: unknown) => void;
}

/** Follows a task from inside its thread. */
export interface Supervisor {
  /** Names the file that the task is reading now; an empty name if it is reading none. */
  enter(file: string): void;
  /**
   * Returns the reason why the task has to stop now, or undefined if it may continue.
   * @param heavy whether the next step can allocate much memory: the heap is measured at once
   */
  interruption(heavy: boolean): string | undefined;
}

/** The functions behind the tasks. */
export type TaskFunctions<Types extends TaskTypes<Types>> = {
  [Name in keyof Types]: (
    input: Types[Name]['input'],
    tools: TaskTools,
  ) => Types[Name]['output'] | Promise<Types[Name]['output']>;
};

/** Line and column in a file, as errors carry them. */
export interface TaskPosition {
  file: string;
  line?: number;
  column?: number;
}

/** A task that failed with an error code. */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  /** Code of the error that the task threw. */
  readonly code: string;
  readonly position: TaskPosition | undefined;

  constructor(
    code: string,
    message: string,
    { position, cause }: { position?: TaskPosition | undefined; cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.code = code;
    this.position = position;
  }
}
