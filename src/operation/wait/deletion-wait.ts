import type { ObjectRef } from '../../objects/object.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { waitForStatus } from './status-wait.ts';
import type { StepTools } from '../steps/steps.ts';

export interface DeletionWaitOptions {
  cluster: Cluster;
  tools: StepTools;
  /** As in `watchTargets`. */
  labelled: boolean;
}

/** Waits until none of the objects is there any more. */
export async function waitUntilGone(refs: readonly ObjectRef[], options: DeletionWaitOptions): Promise<void> {
  await waitForStatus(
    () => ({
      ...options,
      refs,
      wanted: 'NotFound',
      look: (ref, object) => ({ ...ref, status: object === undefined ? 'NotFound' : 'Terminating' }),
      judge: () => undefined,
      describe: ({ kind, namespace = '', name, status }) =>
        `resource ${kind}/${namespace}/${name} still exists. status: ${status}, message: Resource scheduled for deletion`,
    }),
    options.tools,
  );
}
