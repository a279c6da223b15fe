import { messageOf } from '../../errors/index.ts';
import type { Host } from '../../go/host.ts';
import type { Progress, StepName, StepState } from '../progress.ts';

type ProgressUpdate = Pick<Progress, 'message' | 'resources' | 'objects' | 'drift' | 'estimate' | 'evidence' | 'log'>;

/** Tools of a step: its signal and its reports. */
export interface StepTools {
  /** Aborts at the deadline or on cancel, with an `OperationError` as its reason. */
  signal: AbortSignal;
  /** Sets the message that is reported when the step ends. */
  done(message: string): void;
  /** Marks the step as skipped, because there is nothing to do. */
  skipped(message: string): void;
  /** Reports a change while the step runs. */
  report(update: ProgressUpdate): void;
}

export interface StepRunner {
  readonly signal: AbortSignal;
  /**
   * Runs a step. Reports its start and end, if it has a name. Throws at once if the signal has
   * aborted.
   */
  step<T>(name: StepName | undefined, run: (tools: StepTools) => Promise<T>): Promise<T>;
  /** Returns a runner with the same reports that ends with another signal. */
  withSignal(signal: AbortSignal): StepRunner;
}

/** Returns a runner of steps until `signal` aborts. `emit` receives all progress. */
export function stepRunner(signal: AbortSignal, host: Host, emit: (progress: Progress) => void): StepRunner {
  return {
    signal,
    withSignal: (other) => stepRunner(other, host, emit),
    async step(name, run) {
      signal.throwIfAborted();
      let end: { state: StepState; message?: string } = { state: 'done' };
      const report = (state: StepState, update: ProgressUpdate) => {
        if (name !== undefined) emit({ step: name, state, time: timeText(host.now()), ...update });
      };
      report('running', {});
      try {
        const result = await run({
          signal,
          done: (message) => (end = { state: 'done', message }),
          skipped: (message) => (end = { state: 'skipped', message }),
          report: (update) => report('running', update),
        });
        const { state, ...message } = end;
        report(state, message);
        return result;
      } catch (error) {
        const cause = interruption(signal, error);
        report('failed', { message: messageOf(cause) });
        throw cause;
      }
    },
  };
}

/**
 * Returns the signal's reason for an error caused by the abort, which differs between libraries.
 */
function interruption(signal: AbortSignal, error: unknown): unknown {
  return signal.aborted && error instanceof Error && error.name === 'AbortError' ? signal.reason : error;
}

function timeText(nanos: bigint): string {
  return new Date(Number(nanos / 1_000_000n)).toISOString();
}
