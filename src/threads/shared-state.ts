// Memory that a thread shares with its pool, because a busy thread neither receives nor sends
// messages: whether it has to stop, how many parts the pool has received, and the file that it
// is reading.

const stopWord = 0;
const receivedWord = 1;
const fileLengthWord = 2;
const fileStart = 16;
const maxFileBytes = 1024;

/** Returns the memory for one thread. */
export function createSharedState(): SharedArrayBuffer {
  return new SharedArrayBuffer(fileStart + maxFileBytes);
}

/** Prepares the state for the next task. */
export function resetSharedState(state: SharedArrayBuffer): void {
  new Int32Array(state).fill(0, 0, fileStart / 4);
}

/** Asks the task to stop at its next step, where it knows the line. */
export function requestStop(state: SharedArrayBuffer): void {
  Atomics.store(new Int32Array(state), stopWord, 1);
}

/** Reports whether the task was asked to stop. */
export function isStopRequested(state: SharedArrayBuffer): boolean {
  return Atomics.load(new Int32Array(state), stopWord) !== 0;
}

/** Tells the thread that one more part was received. */
export function confirmPart(state: SharedArrayBuffer): void {
  const words = new Int32Array(state);
  Atomics.add(words, receivedWord, 1);
  Atomics.notify(words, receivedWord);
}

/** Blocks the thread until the pool has received `count` parts. */
export function waitForParts(state: SharedArrayBuffer, count: number): void {
  const words = new Int32Array(state);
  for (;;) {
    const received = Atomics.load(words, receivedWord);
    if (received >= count) return;
    Atomics.wait(words, receivedWord, received);
  }
}

/** Names the file that the task is reading. */
export function writeFileName(state: SharedArrayBuffer, file: string): void {
  const length = Buffer.from(state, fileStart, maxFileBytes).write(file);
  Atomics.store(new Int32Array(state), fileLengthWord, length);
}

/** Returns the name of the file that the task is reading, or undefined if it is reading none. */
export function readFileName(state: SharedArrayBuffer): string | undefined {
  const length = Atomics.load(new Int32Array(state), fileLengthWord);
  return length === 0 ? undefined : Buffer.from(state, fileStart, length).toString();
}
