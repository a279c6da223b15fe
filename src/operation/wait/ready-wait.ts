import type { Host } from '../../go/host.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { fieldAt } from '../../objects/fields.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { diagnose } from '../../readiness/diagnosis.ts';
import { readinessOf } from '../../readiness/readiness.ts';
import type { ReadinessOptions } from '../../readiness/status.ts';
import type { Surroundings } from '../../readiness/surroundings.ts';
import { OperationError } from '../error.ts';
import type { ResourceStatus } from '../progress.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { waitForStatus } from './status-wait.ts';
import { watchSurroundings } from './surroundings-watch.ts';
import { withWatches } from './watch-group.ts';

export interface ReadyWaitOptions {
  cluster: Cluster;
  host: Host;
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
export async function waitUntilReady(refs: readonly ObjectRef[], options: ReadyWaitOptions): Promise<void> {
  const { cluster, host, tools, labelled, settled, toCompletion } = options;
  const clock = () => Number(host.now() / 1_000_000n);
  await withWatches(cluster, tools.signal, async (watches) => {
    const surroundings = watchSurroundings(watches, (message) => tools.report({ message }));
    let failingSince: number | undefined;
    await waitForStatus(watches, tools, {
      refs,
      labelled,
      ...(settled && { settled }),
      wanted: 'Current',
      statusOf(ref, object, previous) {
        const status = statusOf(ref, object, surroundings.of, { now: clock(), toCompletion });
        return isCompletedJobGone(status, previous) ? { ...ref, status: 'Current' } : status;
      },
      check(remaining) {
        const failed = remaining.filter(({ status }) => status === 'Failed');
        if (failed.length === 0) return;
        failingSince ??= clock();
        if (clock() - failingSince < (surroundings.areListed() ? reasonDelay : maxReasonDelay)) return;
        throw new OperationError('not_ready', failed.map(notReadyText).join('\n'), { resources: failed });
      },
      describe: notReadyText,
    });
  });
}

/** Returns the status of an object, and the reason if it is not ready. */
export function statusOf(
  ref: ObjectRef,
  object: KubeObject | undefined,
  surroundingsOf: (workload: KubeObject) => Surroundings,
  options: ReadinessOptions,
): ResourceStatus {
  if (object === undefined) return { ...ref, status: 'NotFound', reason: 'Resource not found' };
  if (isPaused(object)) return { ...ref, status: 'Current' };
  const { status, message } = readinessOf(object, options);
  if (status === 'Current') return { ...ref, status };
  return { ...ref, status, reason: diagnose(object, surroundingsOf(object)) ?? message };
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
