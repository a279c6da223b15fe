import type { Host } from '../../go/host.ts';
import { messageOf } from '../error-code.ts';
import type { Progress, ResourceStatus, StepName, StepState } from '../progress.ts';

/** What a step works with besides the operation's state. */
export interface StepTools {
  /** Aborts at the operation's deadline and when it is cancelled, with an `OperationError` as reason. */
  signal: AbortSignal;
  /** Says what the step did, for its end. */
  done(message: string): void;
  /** As `done`, for a step that had nothing to do. */
  skipped(message: string): void;
  /** Says what changed while the step goes on. */
  report(update: { message?: string; resources?: ResourceStatus[] }): void;
}

export interface StepRunner {
  readonly signal: AbortSignal;
  /** Runs one step: says when it begins, and how it ends. Does not begin it where the signal is aborted. */
  step<T>(name: StepName, run: (tools: StepTools) => Promise<T>): Promise<T>;
}

/** Runs steps until `signal` aborts. `emit` is told of each step's beginning and end, and of what it reports. */
export function stepRunner(signal: AbortSignal, host: Host, emit: (progress: Progress) => void): StepRunner {
  return {
    signal,
    async step(name, run) {
      signal.throwIfAborted();
      let end: { state: StepState; message?: string } = { state: 'done' };
      const say = (state: StepState, update: Pick<Progress, 'message' | 'resources'>) => {
        emit({ step: name, state, time: timeText(host.now()), ...update });
      };
      say('running', {});
      try {
        const result = await run({
          signal,
          done: (message) => (end = { state: 'done', message }),
          skipped: (message) => (end = { state: 'skipped', message }),
          report: (update) => say('running', update),
        });
        const { state, ...message } = end;
        say(state, message);
        return result;
      } catch (error) {
        const cause = interruption(signal, error);
        say('failed', { message: messageOf(cause) });
        throw cause;
      }
    },
  };
}

/** What a request says when it is aborted differs from one library to the next; why it was aborted does not. */
function interruption(signal: AbortSignal, error: unknown): unknown {
  return signal.aborted && error instanceof Error && error.name === 'AbortError' ? signal.reason : error;
}

function timeText(nanos: bigint): string {
  return new Date(Number(nanos / 1_000_000n)).toISOString();
}
