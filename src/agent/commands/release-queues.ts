interface Waiting {
  release: string;
  start(): void;
}

/** Runs the operations of one release one after the other, in the order in which they came, and those of different releases side by side. */
export interface ReleaseQueues {
  /** Fails with the signal's reason where it aborts before the operation's turn. */
  run<Result>(release: string, signal: AbortSignal, operation: () => Promise<Result>): Promise<Result>;
}

/** `concurrency` is how many operations run at a time. */
export function createReleaseQueues(concurrency: number): ReleaseQueues {
  const active = new Set<string>();
  const waiting: Waiting[] = [];

  function startNext(): void {
    while (active.size < concurrency) {
      const index = waiting.findIndex(({ release }) => !active.has(release));
      const [next] = index < 0 ? [] : waiting.splice(index, 1);
      if (!next) return;
      active.add(next.release);
      next.start();
    }
  }

  function turn(release: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        waiting.splice(waiting.indexOf(entry), 1);
        reject(signal.reason as Error); // an AbortSignal of ours aborts with an Error
      };
      const entry: Waiting = {
        release,
        start() {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.push(entry);
      startNext();
    });
  }

  return {
    async run(release, signal, operation) {
      signal.throwIfAborted();
      await turn(release, signal);
      try {
        return await operation();
      } finally {
        active.delete(release);
        startNext();
      }
    },
  };
}
