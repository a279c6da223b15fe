import { setTimeout as sleep } from 'node:timers/promises';
import type { Result } from '../../protocol/messages.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { ApiError, type ApiClient } from './api-client.ts';
import { createScreen, type Screen } from './screen.ts';
import { failureText, successText } from './result-text.ts';

/** How often in a row the control plane may be away, and how long to wait each time. */
const MAX_FAILURES = 30;
const RETRY_MS = 1000;

/** Shows a command until its result, and prints that. Yields the exit code. */
export async function follow(
  client: ApiClient,
  key: string,
  { stdout, stderr, onInterrupt }: Pick<ProgramDependencies, 'stdout' | 'stderr' | 'onInterrupt'>,
  retryMs = RETRY_MS,
): Promise<number> {
  const interrupted = new AbortController();
  const release = onInterrupt(() => interrupted.abort());
  try {
    const result = await resultOf(client, key, createScreen(stdout), { signal: interrupted.signal, retryMs });
    if (result.ok) stdout.write(successText(result));
    else stderr.write(failureText(result.error));
    return result.ok ? 0 : 1;
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    stderr.write(
      `\nStopped watching. The operation goes on in the agent; watch it again with:\n  helm-agent ctl follow ${key}\n`,
    );
    return 1;
  } finally {
    release();
  }
}

async function resultOf(
  client: ApiClient,
  key: string,
  screen: Screen,
  { signal, retryMs }: { signal: AbortSignal; retryMs: number },
): Promise<Result> {
  let lastId = 0;
  for (let failures = 0; ;) {
    try {
      for await (const event of client.events(key, lastId, signal)) {
        failures = 0;
        lastId = event.id;
        screen.show(event);
        if (event.type === 'result') return event.payload;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ApiError && !error.isPassing) throw error;
      if (++failures > MAX_FAILURES) throw error;
    }
    await sleep(retryMs, undefined, { signal });
  }
}
