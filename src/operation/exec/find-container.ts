import type { ContainerRef } from '../../objects/cluster.ts';
import { objectsAt, stringAt } from '../../objects/fields.ts';
import { groupKind } from '../../objects/group-kind.ts';
import type { KubeObject } from '../../objects/object.ts';
import { releaseWorkloads } from '../act/release-workloads.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { defaultContainerOf } from '../objects/default-container.ts';
import { findNamedObject, findObject } from '../objects/find-object.ts';
import { ownedUids } from '../objects/owned-objects.ts';
import { canHavePods, latestJobOf } from '../objects/pods-of.ts';
import { requirePodRead } from '../objects/served-kind.ts';

/** Names a pod, a workload (`deploy/web`) or a release, and a container. */
export interface ContainerTarget {
  namespace: string;
  name?: string;
  releaseName?: string;
  container?: string;
}

/** Most names in an error. */
const maxNames = 20;

/**
 * Returns a container in a pod that runs. Throws `bad_request` and `not_found` if there is no such
 * pod or container, or if it does not run, and `denied_by_policy` if the command may not use it.
 */
export async function findContainer(
  context: OperationContext,
  target: ContainerTarget,
  use: 'exec' | 'portforward',
): Promise<ContainerRef> {
  requirePodRead(context, use);
  const pod = await findPod(context, target);
  const { name } = pod.metadata;
  const containers = containersOf(pod);
  const container = target.container ?? defaultContainerOf(pod) ?? '';
  if (!containers.includes(container)) {
    const known = containers.slice(0, maxNames).join(', ');
    throw new OperationError(
      'not_found',
      `the pod ${name} has no container ${JSON.stringify(container)}; it has: ${known}`,
    );
  }
  const phase = stringAt(pod, 'status', 'phase');
  if (phase === 'Succeeded' || phase === 'Failed') {
    throw new OperationError('bad_request', `the pod ${name} has ended (${phase}); name one that runs`);
  }
  return { namespace: target.namespace, name, container };
}

async function findPod(
  context: OperationContext,
  { namespace, name, releaseName }: ContainerTarget,
): Promise<KubeObject> {
  if ((name === undefined) === (releaseName === undefined)) {
    throw new OperationError('bad_request', 'name either a pod, a workload such as deploy/web, or a release');
  }
  if (name !== undefined && !name.includes('/')) {
    return (await findObject(context, { apiVersion: 'v1', kind: 'Pod', namespace, name })).object;
  }
  if (releaseName !== undefined) {
    const workloads = await releaseWorkloads(context, { namespace, releaseName }, canHavePods);
    const owners = workloads.map(({ object }) => object);
    return await bestPod(context, namespace, { owners, text: `release ${releaseName}` });
  }
  const found = await latestJobOf(context, await findNamedObject(context, namespace, name ?? ''));
  if (groupKind(found.ref) === 'Pod') return found.object;
  const text = `${found.ref.kind} ${found.ref.name}`;
  return await bestPod(context, namespace, { owners: [found.object], text, canHave: canHavePods(found.ref) });
}

/**
 * Returns the pod of some objects that has been ready for the longest time, or one that runs if
 * none is ready. Throws `not_found` if none runs, and `bad_request` if the objects are of a kind
 * without pods.
 */
async function bestPod(
  context: OperationContext,
  namespace: string,
  { owners, text, canHave = true }: { owners: readonly KubeObject[]; text: string; canHave?: boolean },
): Promise<KubeObject> {
  const uids = owners.flatMap(({ metadata: { uid } }) => uid ?? []);
  const owned = await ownedUids(context, namespace, uids, []);
  const pods = await context.cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace }, context.signal);
  const running = pods.filter((pod) => owned.has(pod.metadata.uid ?? '') && isRunning(pod));
  const [best] = running.sort((a, b) => (readySince(a) < readySince(b) ? -1 : 1));
  if (best !== undefined) return best;
  if (!canHave) {
    const advice = 'name a pod, a workload such as deploy/web, or a release';
    throw new OperationError('bad_request', `${text} has no pods of its own; ${advice}`);
  }
  throw new OperationError(
    'not_found',
    `${text} has no pod that runs in namespace ${namespace}; ctl describe and ctl events say why`,
  );
}

/** Whether a pod has been started, and is not being deleted. */
function isRunning(pod: KubeObject): boolean {
  return pod.metadata.deletionTimestamp === undefined && stringAt(pod, 'status', 'phase') === 'Running';
}

/** Returns when a pod became ready, and a text after all times if it is not. */
function readySince(pod: KubeObject): string {
  const ready = objectsAt(pod, 'status', 'conditions').find(({ type }) => type === 'Ready');
  return stringAt(ready, 'status') === 'True' ? (stringAt(ready, 'lastTransitionTime') ?? '') : 'never';
}

/** Returns the names of the containers that can run programs: init and ephemeral ones come last. */
function containersOf(pod: KubeObject): string[] {
  const lists = ['containers', 'initContainers', 'ephemeralContainers'];
  return lists.flatMap((list) => objectsAt(pod, 'spec', list).flatMap((one) => stringAt(one, 'name') ?? []));
}
