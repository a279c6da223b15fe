import { identityOf } from '../../objects/group-kind.ts';
import type { FailFast } from '../../readiness/fail-fast.ts';
import type { ReadinessOptions, WaitStrategy } from '../../readiness/status.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { earliestOf } from './earliest.ts';
import { failureCheck } from './failure-check.ts';
import { notReadyText } from './not-ready-text.ts';
import { progressCheck } from './progress-check.ts';
import { readyTimeoutCheck, type ReadyTimeouts } from './ready-timeouts.ts';
import { settling, type AppliedVersions, type SettleOptions } from './settling.ts';
import { judgeAgain } from './readiness-judgement.ts';
import { waitForStatus } from './status-wait.ts';
import { watchSurroundings } from './surroundings-watch.ts';
import { withWatches, type WaitContext } from './watch-group.ts';
import { clockOffset, epochMilliseconds } from '../clock.ts';

export interface ReadyWaitOptions {
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
  settled?: ReadonlySet<string>;
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
      const surroundings = watchSurroundings(watches, (message) => tools.report({ message }));
      const offset = () => clockOffset(context);
      const settled = settling(settle, surroundings.of, appliedVersions(objects), offset);
      const failed = failureCheck(refs, failFast.grace, { clock, reasonsAreListed: surroundings.areListed });
      const isLate = readyTimeoutCheck(options.readyTimeouts ?? new Map(), clock);
      const hasStalled = progressDeadline === undefined ? undefined : progressCheck(progressDeadline, clock);
      await waitForStatus(watches, tools, context.host, {
        objects,
        labelled,
        ...(options.settled && { settled: options.settled }),
        wanted: 'Current',
        judge(object, ref, previous) {
          const now = clock();
          const options = { now: now + offset(), toCompletion, rules, strategy, failFast, previous };
          return settled(object, ref, judgeAgain(ref, object, surroundings.of, options), now);
        },
        clockOffset: offset,
        surroundingsVersion: ({ namespace }) => surroundings.version(namespace),
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
