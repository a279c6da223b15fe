/** Tasks of the threads in tests. */
export interface TestTasks {
  add: { input: { a: number; b: number }; output: number };
  /** Waits for a time, or until the gate is open. Returns the id of its thread. */
  block: { input: { milliseconds?: number; gate?: Int32Array<SharedArrayBuffer> }; output: number };
  /** Waits for a time at each step, and then runs. Returns the number of steps. */
  pause: { input: { steps: number; milliseconds: number }; output: number };
  /** Runs until it is asked to stop. */
  step: { input: undefined; output: never };
  /** Runs for ever without a step. */
  spin: { input: undefined; output: never };
  /** Allocates for ever without a step. */
  grow: { input: undefined; output: never };
  list: { input: { parts: number }; output: number };
  fail: { input: undefined; output: never };
  break: { input: undefined; output: never };
  /** Returns the id of its thread, which breaks when the channel of that name has a message. */
  breakLate: { input: string; output: number };
}
