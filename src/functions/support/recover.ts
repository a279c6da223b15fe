import { LimitError } from '../../go/limit-error.ts';
import { GoError } from '../../go/value.ts';

/**
 * Runs `run` and returns the fallback if it throws a Go error. Other errors and exceeded limits
 * propagate.
 */
export function recover<T>(run: () => T, fallback: (message: string) => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof GoError && !(error instanceof LimitError)) return fallback(error.message);
    throw error;
  }
}

/** Runs `run` and prefixes the message of a Go error with `context`. */
export function withContext<T>(context: string, run: () => T): T {
  return recover(run, (message) => {
    throw new GoError(`${context}: ${message}`);
  });
}
