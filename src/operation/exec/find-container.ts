import type { ContainerRef } from '../../objects/cluster.ts';
import { objectsAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { releaseWorkloads } from '../act/release-workloads.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { defaultContainerOf } from '../objects/default-container.ts';
import { findNamedObject, findObject } from '../objects/find-object.ts';
import { ownedUids } from '../objects/owned-objects.ts';
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
  const [owners, owner] =
    releaseName === undefined
      ? [[(await findNamedObject(context, namespace, name ?? '')).object], name]
      : [
          (await releaseWorkloads(context, { namespace, releaseName })).map(({ object }) => object),
          `release ${releaseName}`,
        ];
  const ready = await readyPod(context, namespace, owners);
  if (ready) return ready;
  throw new OperationError(
    'not_found',
    `${owner} has no ready pod in namespace ${namespace}; ctl status and ctl events say why`,
  );
}

/** Returns the pod of some objects that has been ready for the longest time. */
async function readyPod(
  context: OperationContext,
  namespace: string,
  owners: readonly KubeObject[],
): Promise<KubeObject | undefined> {
  const uids = owners.flatMap(({ metadata: { uid } }) => uid ?? []);
  const owned = await ownedUids(context, namespace, uids, []);
  const pods = await context.cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace }, context.signal);
  const ready = pods.filter((pod) => owned.has(pod.metadata.uid ?? '') && readySince(pod) !== undefined);
  return ready.sort((a, b) => ((readySince(a) ?? '') < (readySince(b) ?? '') ? -1 : 1))[0];
}

/** Returns when a pod became ready; undefined if it is not, or is being deleted. */
function readySince(pod: KubeObject): string | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return undefined;
  const ready = objectsAt(pod, 'status', 'conditions').find(({ type }) => type === 'Ready');
  return stringAt(ready, 'status') === 'True' ? (stringAt(ready, 'lastTransitionTime') ?? '') : undefined;
}

/** Returns the names of the containers that can run programs: init and ephemeral ones come last. */
function containersOf(pod: KubeObject): string[] {
  const lists = ['containers', 'initContainers', 'ephemeralContainers'];
  return lists.flatMap((list) => objectsAt(pod, 'spec', list).flatMap((one) => stringAt(one, 'name') ?? []));
}
