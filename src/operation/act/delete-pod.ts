import type { Cluster } from '../../objects/cluster.ts';
import type { KubeObject } from '../../objects/object.ts';
import { findObject, type FoundObject } from '../objects/find-object.ts';
import { actionOperation, uidOf } from './action.ts';

/** Kinds that become ready again without the pod. */
const controllers: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet']);

/** A controller needs a moment to notice that a pod is gone, in milliseconds. */
const settle = 1000;

/** Most owners of owners. */
const maxOwners = 5;

export const operation = actionOperation('delete_pod', async (context, { namespace, name }) => {
  const { ref, object } = await findObject(context, { kind: 'Pod', apiVersion: 'v1', namespace, name });
  const owner = await workloadOf(context.cluster, object, namespace, context.signal);
  return {
    settle,
    objects: [object, ...(owner ? [owner.object] : [])],
    changes: [{ type: 'delete', ref, uid: uidOf(object), text: 'deleted' }],
    waitFor: owner === undefined ? [] : [{ ref: owner.ref, uid: owner.object.metadata.uid }],
  };
});

/** Returns the workload that replaces a pod, if there is one. */
async function workloadOf(
  cluster: Cluster,
  pod: KubeObject,
  namespace: string,
  signal: AbortSignal,
): Promise<FoundObject | undefined> {
  let found: FoundObject | undefined;
  let owned = pod;
  for (let owners = 0; owners < maxOwners; owners += 1) {
    const reference = owned.metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (reference === undefined || !controllers.has(reference.kind) || !reference.apiVersion.startsWith('apps/')) break;
    const ref = { apiVersion: reference.apiVersion, kind: reference.kind, namespace, name: reference.name };
    const object = await cluster.get(ref, signal);
    if (object?.metadata.uid !== reference.uid) break;
    found = { ref, object };
    owned = object;
  }
  return found;
}
