import { LimitError } from '../../go/limit-error.ts';
import { GoError } from '../../go/value.ts';

/** Runs what may fail as Go fails, and answers something else then. Defects and limits are not caught. */
export function recover<T>(run: () => T, fallback: (message: string) => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof GoError && !(error instanceof LimitError)) return fallback(error.message);
    throw error;
  }
}

/** Runs what may fail as Go fails, and says in its error what for. */
export function withContext<T>(context: string, run: () => T): T {
  return recover(run, (message) => {
    throw new GoError(`${context}: ${message}`);
  });
}
