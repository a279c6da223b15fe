import { codeOf } from '../../errors/index.ts';
import type { Plans } from './plans.ts';

/** Time between two looks for plans that have expired, in milliseconds. */
const interval = 60 * 60 * 1000;

export interface ExpirePlansOptions {
  plans: Pick<Plans, 'dropExpired'>;
  /** Returns after this time. Rejects if the signal aborts. */
  pause: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  /** Called for a failure, which the next look repeats. */
  onProblem: (message: string, fields: object) => void;
}

/**
 * Deletes plans that have expired, at once and then each hour, until `signal` aborts: they have the
 * values of Secrets.
 */
export async function expirePlans({ plans, pause, onProblem }: ExpirePlansOptions, signal: AbortSignal): Promise<void> {
  for (let isExpected = !signal.aborted; isExpected;) {
    try {
      await plans.dropExpired();
    } catch (error) {
      onProblem('cannot delete plans that have expired', { code: codeOf(error) ?? 'internal' });
    }
    isExpected = await pause(interval, signal).then(
      () => true,
      (error: unknown) => {
        if (signal.aborted) return false;
        throw error;
      },
    );
  }
}
