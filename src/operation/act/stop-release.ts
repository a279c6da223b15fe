import { numberAt } from '../../objects/fields.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { autoscalersIn, scales } from '../objects/autoscalers.ts';
import type { FoundObject } from '../objects/find-object.ts';
import { actionOperation, uidOf } from './action.ts';
import type { Change } from './action-state.ts';
import { releaseWorkloads } from './release-workloads.ts';
import { stopPatch } from './stopped-workload.ts';

export const operation = actionOperation('stop_release', async (context, request) => {
  const workloads = await releaseWorkloads(context, request);
  const changes = workloads.flatMap(({ ref, object }): Change[] => {
    const change = stopPatch(object);
    return change === undefined ? [] : [{ type: 'patch', ref, uid: uidOf(object), ...change }];
  });
  if (changes.length > 0) await requireNoScaleFromZero(context, request.namespace, workloads);
  return { objects: workloads.map(({ object }) => object), changes };
});

/**
 * Refuses to stop what an autoscaler would start again: one whose minimum is 0 does not leave a
 * workload without replicas alone. Autoscalers that the agent may not list are not known.
 */
async function requireNoScaleFromZero(
  { cluster, signal }: OperationContext,
  namespace: string,
  workloads: readonly FoundObject[],
): Promise<void> {
  const autoscalers = (await autoscalersIn(cluster, namespace, signal)) ?? [];
  for (const autoscaler of autoscalers.filter((one) => numberAt(one, 'spec', 'minReplicas') === 0)) {
    const scaled = workloads.find(({ ref }) => scales(autoscaler, ref));
    if (scaled === undefined) continue;
    const { kind, name } = scaled.ref;
    throw new OperationError(
      'bad_request',
      `the HorizontalPodAutoscaler ${autoscaler.metadata.name} has minReplicas 0, so it would scale ${kind} ${name} up again; set its minReplicas to 1 first`,
    );
  }
}
