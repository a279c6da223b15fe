import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import type { RunningCommands } from './admission.ts';
import { CommandError } from './errors.ts';
import { failureOf } from './failure.ts';

/** Time for aborted operations to send their own results. */
const abandonMs = 1000;

/**
 * Cancels commands and gives them the grace to undo their changes. Aborts those that take longer,
 * so that all have sent their results when the promise resolves.
 */
export async function shutDown(commands: RunningCommands, graceMs: number, log: Logger): Promise<void> {
  const running = [...commands.keys()];
  const ended = Promise.all(commands.values());
  const cancelled = new CommandError('cancelled', 'the agent is shutting down');
  for (const { cancellation } of running) cancellation.abort(cancelled);
  if (await isWithin(graceMs, ended)) return;

  log.warn({ graceMs, commands: running.length }, 'aborting the operations that did not end in time');
  const aborted = new CommandError('cancelled', 'aborted: the agent is shutting down');
  for (const { abandonment } of running) abandonment.abort(aborted);
  await isWithin(abandonMs, ended);
  for (const command of running) command.end(command.seal({ ok: false, error: failureOf(aborted) }));
}

async function isWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([work.then(() => true), late]);
  timer.abort();
  return inTime;
}
