import { Cancellation } from '../../../operation/cancellation.ts';
import type { HelmContext } from '../context.ts';

export interface StopOptions {
  /** Called when the first signal cancels the command. */
  onCancel?: () => void;
  /** Whether the second signal ends the process. Helm ignores it where it cancels a command. */
  endsAtSecond: boolean;
}

/**
 * Calls a function with a signal that the first SIGINT or SIGTERM of the process aborts. What the
 * command has done is then undone, so that its revision does not stay pending.
 */
export async function cancelledByStop<Result>(
  { onStop }: Pick<HelmContext, 'onStop'>,
  { onCancel, endsAtSecond }: StopOptions,
  perform: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stopped = new AbortController();
  const release = onStop(() => {
    if (stopped.signal.aborted) return;
    if (endsAtSecond) release();
    onCancel?.();
    stopped.abort(new Cancellation('context canceled', 'undo'));
  });
  try {
    return await perform(stopped.signal);
  } finally {
    release();
  }
}
