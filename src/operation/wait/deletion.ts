import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { identityOf } from '../../objects/group-kind.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import type { StepTools } from '../steps/step-runner.ts';
import { waitForStatus } from './loop.ts';
import { type WaitContext, withWatches } from './watches.ts';

export interface DeletionWaitOptions {
  context: WaitContext;
  tools: StepTools;
  /** As in `StatusWait`. */
  labelled: boolean;
}

/**
 * Waits until none of the objects exists. Another object with the name of one of them does not
 * count. Objects of a kind whose CustomResourceDefinition is gone do not exist.
 */
export async function waitUntilGone(
  objects: readonly SeenObject[],
  { context, tools, labelled }: DeletionWaitOptions,
): Promise<void> {
  const uids = new Map(objects.map(({ ref, uid }) => [identityOf(ref), uid]));
  await withWatches(context, tools.signal, (watches) =>
    waitForStatus(watches, tools, context.host, {
      objects,
      labelled,
      wanted: 'NotFound',
      judge(object, ref) {
        const uid = uids.get(identityOf(ref)) ?? object?.metadata.uid;
        const isThere = object !== undefined && object.metadata.uid === uid;
        return { status: { ...ref, status: isThere ? 'Terminating' : 'NotFound' } };
      },
      judgeRefused(ref, refusal) {
        if (!hasClusterErrorCode(refusal, 'not_found', 'unknown_kind')) throw refusal;
        return { status: { ...ref, status: 'NotFound' } };
      },
      describe: ({ kind, namespace = '', name, status }) =>
        `resource ${kind}/${namespace}/${name} still exists. status: ${status}, message: Resource scheduled for deletion`,
    }),
  );
}
