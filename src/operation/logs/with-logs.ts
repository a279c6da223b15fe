import { messageOf } from '../../errors/index.ts';
import type { HookEvent } from '../../release/hook.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import { epochMilliseconds } from '../clock.ts';
import type { Redact } from '../evidence/release-redaction.ts';
import { redactionOfWork } from '../evidence/work-redaction.ts';
import type { OperationState } from '../state/operation-state.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { processTimer } from '../time-limit.ts';
import type { Work } from '../work.ts';
import { followLogs, withLog } from './follow-logs.ts';
import { createLogBudget } from './log-budget.ts';
import { createLogReports } from './log-reports.ts';

const never = new AbortController().signal;

export interface FollowedObjects {
  /** Objects that the operation has created; only the logs of Jobs and Pods are followed. */
  objects: readonly SeenObject[];
  /** The event, if the objects are those of a hook. */
  event?: HookEvent;
}

/**
 * Runs a wait, and reports the lines that the containers of Jobs and Pods write meanwhile. A log
 * that cannot be read does not end the wait.
 */
export async function withLogs(
  state: OperationState,
  work: Work<unknown>,
  tools: StepTools,
  { objects, event }: FollowedObjects,
  wait: () => Promise<void>,
): Promise<void> {
  const { context, cache } = work;
  const followed = withLog(objects);
  const budget = (cache.logBudget ??= createLogBudget(() => epochMilliseconds(context.host)));
  const redact = followed.length === 0 || budget.isSpent ? undefined : await knownRedaction(state, work, tools);
  if (redact === undefined) {
    await wait();
    return;
  }
  const follower = followLogs({
    context,
    objects: followed,
    event,
    reports: createLogReports({
      budget,
      // the last lines are reported after a cancel, too
      redact: async (text) => (await redact([text], context.abandon ?? never))[0] ?? '',
      report: (log) => tools.report({ log }),
      startTimer: processTimer,
    }),
    onProblem: (message) => tools.report({ message }),
    signal: tools.signal,
  });
  let hasSucceeded = false;
  try {
    await wait();
    hasSucceeded = true;
  } finally {
    await follower.end(hasSucceeded);
  }
}

/** Returns undefined if the secrets of the release are not known. */
async function knownRedaction(
  state: OperationState,
  work: Work<unknown>,
  tools: StepTools,
): Promise<Redact | undefined> {
  try {
    const { ofPods } = redactionOfWork(() => state, work);
    await ofPods([], tools.signal); // fails if the secrets are not known
    return ofPods;
  } catch (error) {
    tools.signal.throwIfAborted();
    tools.report({ message: `logs are not shown, because the secrets in them are not known: ${messageOf(error)}` });
    return undefined;
  }
}
