import type { Host } from '../../go/host.ts';
import type { ObjectRef } from '../../objects/object.ts';
import type { ReadinessOptions } from '../../readiness/status.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { OperationError } from '../error.ts';
import type { ResourceStatus } from '../progress.ts';
import { notReadyText, resourceStatus } from './resource-status.ts';
import { waitForStatus } from './status-wait.ts';
import type { StepTools } from '../steps/steps.ts';
import { watchSurroundings } from './surroundings-watch.ts';

export interface ReadyWaitOptions {
  cluster: Cluster;
  host: Host;
  tools: StepTools;
  toCompletion: NonNullable<ReadinessOptions['toCompletion']>;
  /** As in `watchTargets`. */
  labelled: boolean;
}

/** A failure is told after this, so that the watch of pods can catch up with the one that told of it; in milliseconds. */
const reasonDelay = 300;
/** How long a failure may wait for the first list of pods, in milliseconds. */
const reasonGrace = 2000;

/** Waits until all are ready. Throws `not_ready` as soon as one has failed. */
export async function waitUntilReady(refs: readonly ObjectRef[], options: ReadyWaitOptions): Promise<void> {
  const { cluster, host, tools, labelled, toCompletion } = options;
  const clock = () => Number(host.now() / 1_000_000n);
  await waitForStatus((notify, signal) => {
    const onRefused = (message: string) => tools.report({ message });
    const surroundings = watchSurroundings(cluster, { signal, onChange: notify, onRefused });
    let failingSince: number | undefined;
    return {
      cluster,
      refs,
      labelled,
      wanted: 'Current',
      look: (ref, object, before) => {
        const status = resourceStatus(ref, object, surroundings.around, { now: clock(), toCompletion });
        return hasEndedBefore(status, before) ? { ...ref, status: 'Current' } : status;
      },
      judge: (remaining) => {
        const failed = remaining.filter(({ status }) => status === 'Failed');
        if (failed.length === 0) return;
        failingSince ??= clock();
        if (clock() - failingSince < (surroundings.settled() ? reasonDelay : reasonGrace)) return;
        throw new OperationError('not_ready', failed.map(notReadyText).join('\n'), { resources: failed });
      },
      describe: notReadyText,
      ended: surroundings.finished,
    };
  }, tools);
}

/** A Job that has completed may be removed by its time to live. */
function hasEndedBefore({ kind, status }: ResourceStatus, before: ResourceStatus | undefined): boolean {
  return kind === 'Job' && (status === 'NotFound' || status === 'Terminating') && before?.status === 'Current';
}
