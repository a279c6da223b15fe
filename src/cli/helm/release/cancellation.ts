import { Cancellation } from '../../../operation/cancellation.ts';
import type { HelmContext } from '../context.ts';

/**
 * Calls a function with a signal that an interrupt aborts. Says so on stdout, as helm does.
 */
export async function cancellable<Result>(
  releaseName: string,
  { onInterrupt, stdout }: Pick<HelmContext, 'onInterrupt' | 'stdout'>,
  perform: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const interrupted = new AbortController();
  const release = onInterrupt(() => {
    if (interrupted.signal.aborted) return;
    stdout.write(`Release ${releaseName} has been cancelled.\n`);
    interrupted.abort(new Cancellation('context canceled', 'undo'));
  });
  try {
    return await perform(interrupted.signal);
  } finally {
    release();
  }
}
