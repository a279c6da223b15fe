import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { fieldAt } from '../../objects/fields.ts';
import { problemOf } from '../../readiness/diagnosis.ts';
import type { FailFast } from '../../readiness/fail-fast.ts';
import { replicaCounts } from '../../readiness/replica-counts.ts';
import { readinessOf } from '../../readiness/readiness.ts';
import type { ReadinessOptions } from '../../readiness/status.ts';
import type { Surroundings } from '../../readiness/surroundings.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import type { ResourceStatus } from '../progress.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { judgedProblem } from './fail-fast-options.ts';
import { failureCheck } from './failure-check.ts';
import { notReadyText } from './not-ready-text.ts';
import { progressCheck } from './progress-check.ts';
import { settling, type SettleOptions } from './settling.ts';
import { waitForStatus, type Judgement } from './status-wait.ts';
import { watchSurroundings } from './surroundings-watch.ts';
import { withWatches, type WaitContext } from './watch-group.ts';
import { epochMilliseconds } from '../clock.ts';

export interface ReadyWaitOptions {
  context: WaitContext;
  tools: StepTools;
  toCompletion: NonNullable<ReadinessOptions['toCompletion']>;
  /** Rules of the user. Default: none. */
  rules?: NonNullable<ReadinessOptions['rules']>;
  /** As in `StatusWait`. */
  labelled: boolean;
  /** As in `StatusWait`. */
  settled?: ReadonlySet<string>;
  failFast: FailFast;
  /** Default: resources count as ready at once. */
  settle?: SettleOptions;
  /** Longest time without progress, in milliseconds. Default: no limit. */
  progressDeadline?: number | undefined;
}

/**
 * Waits until all objects are ready. Throws `not_ready` as soon as one has failed, or has a problem
 * that ends the wait.
 */
export async function waitUntilReady(objects: readonly SeenObject[], options: ReadyWaitOptions): Promise<void> {
  const { context, tools, labelled, settle = {}, toCompletion, rules = [], failFast, progressDeadline } = options;
  const clock = () => epochMilliseconds(context.host);
  const refs = objects.map(({ ref }) => ref);
  const wait = () =>
    withWatches(context, tools.signal, async (watches) => {
      const surroundings = watchSurroundings(watches, (message) => tools.report({ message }));
      const settled = settling(settle, surroundings.of);
      const failed = failureCheck(refs, failFast.grace, { clock, reasonsAreListed: surroundings.areListed });
      const hasStalled = progressDeadline === undefined ? undefined : progressCheck(progressDeadline, clock);
      await waitForStatus(watches, tools, context.host, {
        objects,
        labelled,
        ...(options.settled && { settled: options.settled }),
        wanted: 'Current',
        judge(object, ref, previous) {
          const now = clock();
          const judgement = judgeReadiness(ref, object, surroundings.of, { now, toCompletion, rules, failFast });
          if (previous && isCompletedJobGone(judgement.status, previous)) return { status: previous };
          return settled(object, ref, judgement, now);
        },
        surroundingsVersion: ({ namespace }) => surroundings.version(namespace),
        check: (remaining) => {
          const delays = [failed(remaining), hasStalled?.(remaining)].filter((delay) => delay !== undefined);
          return delays.length === 0 ? undefined : Math.min(...delays);
        },
        describe: notReadyText,
      });
    });
  await (context.whileWaiting?.(wait) ?? wait());
}

/** Returns the status of an object, the reason if it is not ready, and when to judge it again. */
export function judgeReadiness(
  ref: ObjectRef,
  object: KubeObject | undefined,
  surroundingsOf: (workload: KubeObject) => Surroundings,
  options: ReadinessOptions & { failFast: FailFast },
): Judgement {
  if (object === undefined) return { status: { ...ref, status: 'NotFound', reason: 'Resource not found' } };
  const found = replicaCounts(object);
  const counts = found && { counts: found };
  if (isPaused(object)) return { status: { ...ref, status: 'Current', ...counts } };
  const { status, message, changesIn } = readinessOf(object, options);
  if (status === 'Current') return { status: { ...ref, status, ...counts } };
  const cause = problemOf(object, surroundingsOf(object));
  const problem = judgedProblem(object, status, cause, options.failFast);
  const reason = cause?.text ?? message;
  return { status: { ...ref, status, reason, ...(problem && { problem }), ...counts }, changesIn };
}

/** As in Helm, a paused Deployment counts as ready: its pods would never change. */
function isPaused(object: KubeObject): boolean {
  return object.kind === 'Deployment' && fieldAt(object, 'spec', 'paused') === true;
}

/** Whether a Job that had completed was deleted, which its time to live does. */
function isCompletedJobGone({ kind, status }: ResourceStatus, previous: ResourceStatus): boolean {
  return kind === 'Job' && (status === 'NotFound' || status === 'Terminating') && previous.status === 'Current';
}
