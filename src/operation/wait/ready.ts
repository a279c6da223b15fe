import { identityOf } from '../../objects/group-kind.ts';
import type { ObjectRef } from '../../objects/object.ts';
import type { AppliedStatus, FailFast, ReadinessOptions, WaitStrategy } from '../../readiness/index.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import { clockOffset, epochMilliseconds } from '../clock.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { type AppliedVersions, judgeAgain, type SettleOptions, stability } from './judge.ts';
import { failureCheck, notReadyText, progressCheck, readyTimeoutCheck, type ReadyTimeouts } from './limits.ts';
import { earliestOf, waitForStatus } from './loop.ts';
import { watchRelatedObjects } from './related-objects.ts';
import { type WaitContext, withWatches } from './watches.ts';

interface ReadyWaitOptions {
  context: WaitContext;
  tools: StepTools;
  toCompletion: NonNullable<ReadinessOptions['toCompletion']>;
  /** Rules of the user. Default: none. */
  rules?: NonNullable<ReadinessOptions['rules']>;
  /** Default: `watcher`. */
  strategy?: WaitStrategy | undefined;
  /** As in `StatusWait`. */
  labelled: boolean;
  /** As in `StatusWait`. */
  unwatched?: ReadonlySet<string>;
  failFast: FailFast;
  /** Default: resources count as ready at once. */
  settle?: SettleOptions;
  /** Longest time without progress, in milliseconds. Default: no limit. */
  progressDeadline?: number | undefined;
  /** Times within which single resources must be ready. Default: none. */
  readyTimeouts?: ReadyTimeouts;
}

/**
 * Waits until all objects are ready. Throws `not_ready` as soon as one has failed, or has a problem
 * that ends the wait.
 */
export async function waitUntilReady(objects: readonly SeenObject[], options: ReadyWaitOptions): Promise<void> {
  const { context, tools, labelled, settle = {}, toCompletion, rules = [], failFast, progressDeadline } = options;
  const { strategy } = options;
  const clock = () => epochMilliseconds(context.host);
  const refs = objects.map(({ ref }) => ref);
  const wait = () =>
    withWatches(context, tools.signal, async (watches) => {
      const related = watchRelatedObjects(watches, (message) => tools.report({ message }));
      const offset = () => clockOffset(context);
      const stable = stability(settle, related.of, appliedVersions(objects), offset);
      const failed = failureCheck(refs, failFast, { clock, reasonsAreListed: related.areListed });
      const isLate = readyTimeoutCheck(options.readyTimeouts ?? new Map(), clock);
      const hasStalled = progressDeadline === undefined ? undefined : progressCheck(progressDeadline, clock);
      await waitForStatus(watches, tools, context.host, {
        objects,
        labelled,
        ...(options.unwatched && { unwatched: options.unwatched }),
        wanted: 'Current',
        judge(object, ref, previous) {
          const now = clock();
          const options = { now: now + offset(), toCompletion, rules, strategy, failFast, previous };
          return stable(object, ref, judgeAgain(ref, object, related.of, options), now);
        },
        clockOffset: offset,
        relatedVersion: ({ namespace }) => related.version(namespace),
        check: (remaining) => {
          return earliestOf([failed(remaining), hasStalled?.(remaining), isLate(remaining)]);
        },
        describe: notReadyText,
      });
    });
  await (context.whileWaiting?.(wait) ?? wait());
}

function appliedVersions(objects: readonly SeenObject[]): AppliedVersions {
  return new Map(
    objects.flatMap(({ ref, resourceVersion }) =>
      resourceVersion === undefined ? [] : [[identityOf(ref), resourceVersion] as const],
    ),
  );
}

/** Statuses of objects as the responses to their writes show them, by identity. */
type AppliedStatuses = ReadonlyMap<string, AppliedStatus>;

/**
 * Returns the identities of the objects that need no watch: all of them if each one was current
 * when it was written, and else those that stay current. If readiness must last, only the latter.
 */
export function unwatchedObjects(
  refs: readonly ObjectRef[],
  statuses: AppliedStatuses,
  mustLast = false,
): ReadonlySet<string> {
  const identities = refs.map(identityOf);
  const areCurrent = !mustLast && identities.every((identity) => (statuses.get(identity) ?? 'open') !== 'open');
  return new Set(areCurrent ? identities : identities.filter((identity) => statuses.get(identity) === 'steady'));
}
