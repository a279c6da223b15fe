import type { Cluster } from '../../objects/cluster.ts';
import { identityOf } from '../../objects/group-kind.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { waitForStatus } from './status-wait.ts';
import { withWatches } from './watch-group.ts';

export interface DeletionWaitOptions {
  cluster: Cluster;
  tools: StepTools;
  /** As in `StatusWait`. */
  labelled: boolean;
}

/**
 * Waits until none of the objects exists. Another object with the name of one of them does not
 * count.
 */
export async function waitUntilGone(
  objects: readonly SeenObject[],
  { cluster, tools, labelled }: DeletionWaitOptions,
): Promise<void> {
  const uids = new Map(objects.map(({ ref, uid }) => [identityOf(ref), uid]));
  await withWatches(cluster, tools.signal, (watches) =>
    waitForStatus(watches, tools, {
      refs: objects.map(({ ref }) => ref),
      labelled,
      wanted: 'NotFound',
      statusOf(ref, object) {
        const uid = uids.get(identityOf(ref)) ?? object?.metadata.uid;
        return { ...ref, status: object?.metadata.uid === uid && object !== undefined ? 'Terminating' : 'NotFound' };
      },
      describe: ({ kind, namespace = '', name, status }) =>
        `resource ${kind}/${namespace}/${name} still exists. status: ${status}, message: Resource scheduled for deletion`,
    }),
  );
}
