import type { OperationContext } from '../context.ts';
import type { Deadline } from '../state/deadline.ts';
import { timeLimit } from '../time-limit.ts';

/** Waits with the time limit of each wait, if the deadline is of one. Throws `timeout` after it. */
export async function limitedWait<Tools extends { signal: AbortSignal }, Result>(
  { startTimer }: OperationContext,
  { timeout, isOfWaits = false }: Deadline,
  tools: Tools,
  wait: (tools: Tools) => Promise<Result>,
): Promise<Result> {
  if (!isOfWaits) return await wait(tools);
  const limit = timeLimit(timeout, [tools.signal], startTimer);
  try {
    return await wait({ ...tools, signal: limit.signal });
  } finally {
    limit.close();
  }
}
