import { sleep } from './sleep.ts';

export interface RetryOptions {
  /**
   * Milliseconds before each further attempt. The error of the one after the last pause is thrown.
   * Of a function, which gets the number of failures, each result is a pause.
   */
  pauses: readonly number[] | ((failures: number) => number);
  /** Whether the last of the pauses is used again and again. Default: false. */
  isEndless?: boolean;
  /** Whether an attempt after this error may succeed. Default: always. */
  canRetry?: (error: unknown) => boolean;
  /** Called before each pause. */
  onRetry?: (error: unknown, failures: number) => void;
  /** Ends a pause with its reason. An attempt that is running has to obey it on its own. */
  signal?: AbortSignal | undefined;
}

/** Calls `attempt` until it succeeds, with the number of failures so far. */
export async function retry<Result>(
  attempt: (failures: number) => Promise<Result>,
  { pauses, isEndless = false, canRetry = () => true, onRetry, signal }: RetryOptions,
): Promise<Result> {
  for (let failures = 0; ;) {
    try {
      return await attempt(failures);
    } catch (error) {
      failures += 1;
      const pause = typeof pauses === 'function' ? pauses(failures) : pauseAfter(failures, pauses, isEndless);
      if (!canRetry(error) || pause === undefined) throw error;
      onRetry?.(error, failures);
      await sleep(pause, signal);
    }
  }
}

function pauseAfter(failures: number, pauses: readonly number[], isEndless: boolean): number | undefined {
  return pauses[failures - 1] ?? (isEndless ? pauses.at(-1) : undefined);
}
