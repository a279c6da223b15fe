import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { fieldAt } from '../../objects/fields.ts';
import { diagnose } from '../../readiness/diagnosis.ts';
import { readinessOf } from '../../readiness/readiness.ts';
import type { ReadinessOptions } from '../../readiness/status.ts';
import type { Surroundings } from '../../readiness/surroundings.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import { OperationError } from '../error.ts';
import type { ResourceStatus } from '../progress.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { waitForStatus, type Judgement } from './status-wait.ts';
import { watchSurroundings, type SurroundingsWatch } from './surroundings-watch.ts';
import { withWatches, type WaitContext } from './watch-group.ts';

export interface ReadyWaitOptions {
  context: WaitContext;
  tools: StepTools;
  toCompletion: NonNullable<ReadinessOptions['toCompletion']>;
  /** As in `StatusWait`. */
  labelled: boolean;
  /** As in `StatusWait`. */
  settled?: ReadonlySet<string>;
}

/** Delay of a failure, so that the watch of pods can catch up with its reason; in milliseconds. */
const reasonDelay = 300;
/** Longest delay of a failure if the pods have not been listed yet, in milliseconds. */
const maxReasonDelay = 2000;

/** Waits until all objects are ready. Throws `not_ready` as soon as one has failed. */
export async function waitUntilReady(objects: readonly SeenObject[], options: ReadyWaitOptions): Promise<void> {
  const { context, tools, labelled, settled, toCompletion } = options;
  const clock = () => Number(context.host.now() / 1_000_000n);
  await withWatches(context, tools.signal, async (watches) => {
    const surroundings = watchSurroundings(watches, (message) => tools.report({ message }));
    await waitForStatus(watches, tools, context.host, {
      objects,
      labelled,
      ...(settled && { settled }),
      wanted: 'Current',
      judge(object, ref, previous) {
        const judgement = judgeReadiness(ref, object, surroundings.of, { now: clock(), toCompletion });
        return isCompletedJobGone(judgement.status, previous) ? { status: { ...ref, status: 'Current' } } : judgement;
      },
      surroundingsVersion: ({ namespace }) => surroundings.version(namespace),
      check: failureCheck(surroundings, clock),
      describe: notReadyText,
    });
  });
}

/** Returns a check that throws if an object has failed, with some delay for the reason. */
function failureCheck(surroundings: SurroundingsWatch, clock: () => number) {
  let failingSince: number | undefined;
  return (remaining: readonly ResourceStatus[]): number | undefined => {
    const failed = remaining.filter(({ status }) => status === 'Failed');
    if (failed.length === 0) return undefined;
    failingSince ??= clock();
    const left = failingSince + (surroundings.areListed() ? reasonDelay : maxReasonDelay) - clock();
    if (left > 0) return left;
    throw new OperationError('not_ready', failed.map(notReadyText).join('\n'), { resources: failed });
  };
}

/** Returns the status of an object, the reason if it is not ready, and when to judge it again. */
export function judgeReadiness(
  ref: ObjectRef,
  object: KubeObject | undefined,
  surroundingsOf: (workload: KubeObject) => Surroundings,
  options: ReadinessOptions,
): Judgement {
  if (object === undefined) return { status: { ...ref, status: 'NotFound', reason: 'Resource not found' } };
  if (isPaused(object)) return { status: { ...ref, status: 'Current' } };
  const { status, message, changesIn } = readinessOf(object, options);
  if (status === 'Current') return { status: { ...ref, status } };
  return { status: { ...ref, status, reason: diagnose(object, surroundingsOf(object)) ?? message }, changesIn };
}

/** As in Helm, a paused Deployment counts as ready: its pods would never change. */
function isPaused(object: KubeObject): boolean {
  return object.kind === 'Deployment' && fieldAt(object, 'spec', 'paused') === true;
}

/** Whether a Job that had completed was deleted, which its time to live does. */
function isCompletedJobGone({ kind, status }: ResourceStatus, previous: ResourceStatus | undefined): boolean {
  return kind === 'Job' && (status === 'NotFound' || status === 'Terminating') && previous?.status === 'Current';
}

/** Returns Helm's message for a resource that is not ready. */
function notReadyText({ kind, namespace = '', name, status, reason = 'not seen yet' }: ResourceStatus): string {
  return `resource ${kind}/${namespace}/${name} not ready. status: ${status}, message: ${reason}`;
}
