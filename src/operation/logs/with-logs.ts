import type { HookEvent } from '../../release/hook.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import { epochMilliseconds } from '../clock.ts';
import { messageOf } from '../error.ts';
import type { Redact } from '../evidence/redaction.ts';
import { redactionOfRelease } from '../evidence/release-redaction.ts';
import type { OperationState } from '../state/operation-state.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { processTimer } from '../steps/time-limit.ts';
import type { Work } from '../work.ts';
import { followLogs, withLog } from './follow-logs.ts';
import { createLogBudget } from './log-budget.ts';
import { createLogReports } from './log-reports.ts';

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
  const { context, materials } = work;
  const followed = withLog(objects);
  const budget = (materials.logBudget ??= createLogBudget(() => epochMilliseconds(context.host)));
  const redact = followed.length === 0 || budget.isSpent ? undefined : await knownRedaction(state, work, tools);
  if (redact === undefined) {
    await wait();
    return;
  }
  const follower = followLogs({
    context,
    objects: followed,
    event,
    reports: createLogReports({ budget, redact, report: (log) => tools.report({ log }), startTimer: processTimer }),
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
    return await redactionOfRelease(state, work, tools.signal);
  } catch (error) {
    tools.signal.throwIfAborted();
    tools.report({ message: `logs are not shown, because the secrets in them are not known: ${messageOf(error)}` });
    return undefined;
  }
}
