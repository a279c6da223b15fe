import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import type { RunningCommands } from './admission.ts';
import { CommandError } from './errors.ts';
import { failureOf } from './failure.ts';

/** Time for aborted operations to send their own results, and for parked ones to stop. */
const abandonMs = 1000;

/** Ends all operations at once. They send no result: another process continues those it can. */
export function abandonOperations(commands: RunningCommands): void {
  const ended = new CommandError('cancelled', 'parked: another process of the agent may continue the command');
  for (const [command] of commands) if (command.command.changes !== undefined) command.park(ended);
}

/**
 * Parks the commands that another process can continue. Cancels all others and gives them the grace
 * to undo their changes. Aborts those that take longer, so that all have sent their results when
 * the promise resolves.
 */
export async function shutDown(commands: RunningCommands, graceMs: number, log: Logger): Promise<void> {
  const durable = [...commands].filter(([, { isDurable }]) => isDurable);
  const others = [...commands].filter(([, { isDurable }]) => !isDurable);
  for (const [command] of durable) command.park(new CommandError('cancelled', 'parked: the agent is shutting down'));
  const parked = isWithin(abandonMs, Promise.all(durable.map(([, { ended }]) => ended)));

  const ended = Promise.all(others.map(([, job]) => job.ended));
  const cancelled = new CommandError('cancelled', 'the agent is shutting down');
  for (const [{ cancellation }] of others) cancellation.abort(cancelled);
  if (!(await isWithin(graceMs, ended))) {
    log.warn({ graceMs, commands: others.length }, 'aborting the operations that did not end in time');
    const aborted = new CommandError('cancelled', 'aborted: the agent is shutting down');
    for (const [{ abandonment }] of others) abandonment.abort(aborted);
    await isWithin(abandonMs, ended);
    for (const [command] of others) command.end(command.seal({ ok: false, error: failureOf(aborted) }));
  }
  await parked;
}

/** Waits for work at most so long. Returns whether it has ended. */
export async function isWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([work.then(() => true), late]);
  timer.abort();
  return inTime;
}
