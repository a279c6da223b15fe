import type { Cluster } from '../../objects/cluster.ts';
import type { ObjectRef } from '../../objects/object.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { waitForStatus } from './status-wait.ts';
import { withWatches } from './watch-group.ts';

export interface DeletionWaitOptions {
  cluster: Cluster;
  tools: StepTools;
  /** As in `StatusWait`. */
  labelled: boolean;
}

/** Waits until none of the objects exists. */
export async function waitUntilGone(
  refs: readonly ObjectRef[],
  { cluster, tools, labelled }: DeletionWaitOptions,
): Promise<void> {
  await withWatches(cluster, tools.signal, (watches) =>
    waitForStatus(watches, tools, {
      refs,
      labelled,
      wanted: 'NotFound',
      statusOf: (ref, object) => ({ ...ref, status: object === undefined ? 'NotFound' : 'Terminating' }),
      describe: ({ kind, namespace = '', name, status }) =>
        `resource ${kind}/${namespace}/${name} still exists. status: ${status}, message: Resource scheduled for deletion`,
    }),
  );
}
