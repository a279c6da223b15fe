import type { CollectGarbage } from './garbage.ts';

type RunCommand = <Result>(command: () => Promise<Result>) => Promise<Result>;

export interface IdleCollection {
  /** Runs a command. */
  run: RunCommand;
  stop: () => void;
}

/**
 * Gives the memory of commands back to the system when none has run for a while, and once after the
 * start. V8 keeps what it has until there is something else to do.
 * @param run runs each command
 * @param idleMs time without a command, in milliseconds
 */
export function collectWhenIdle(run: RunCommand, collectGarbage: CollectGarbage, idleMs = 5000): IdleCollection {
  let running = 0;
  const startTimer = () => setTimeout(collectGarbage, idleMs, 'all-and-shrink').unref();
  let timer = startTimer();
  return {
    async run(command) {
      running++;
      clearTimeout(timer);
      try {
        return await run(command);
      } finally {
        running--;
        if (running === 0) timer = startTimer();
      }
    },
    stop: () => clearTimeout(timer),
  };
}
