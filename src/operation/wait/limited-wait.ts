import type { OperationContext } from '../context.ts';
import type { Deadline } from '../state/deadline.ts';
import { timeLimit } from '../time-limit.ts';

/**
 * Waits with the time limit of each wait, if the deadline is of one. Throws `timeout` after it.
 * Without a deadline, the tools have the time limit.
 */
export async function limitedWait<Tools extends { signal: AbortSignal }, Result>(
  { startTimer }: OperationContext,
  deadline: Deadline | undefined,
  tools: Tools,
  wait: (tools: Tools) => Promise<Result>,
): Promise<Result> {
  if (deadline?.isOfWaits !== true) return await wait(tools);
  const limit = timeLimit(deadline.timeout, [tools.signal], startTimer);
  try {
    return await wait({ ...tools, signal: limit.signal });
  } finally {
    limit.close();
  }
}
