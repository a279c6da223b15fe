import { objectAt } from '../../objects/fields.ts';
import { groupKind } from '../../objects/group-kind.ts';
import { labelRequirements, matchesLabels } from '../../objects/label-selector.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { get } from '../get.ts';
import { presentObjects } from '../present-objects.ts';
import type { FoundObject } from './find-object.ts';

/** The kinds with a selector of their pods. */
const workloads: ReadonlySet<string> = new Set([
  ...(['apps/Deployment', 'apps/StatefulSet', 'apps/DaemonSet', 'apps/ReplicaSet', 'batch/Job'] as const),
]);

/** Whether objects of a kind are pods, or have pods, directly or through Jobs. */
export function canHavePods(ref: { apiVersion: string; kind: string }): boolean {
  const kind = groupKind(ref);
  return workloads.has(kind) || kind === 'Pod' || kind === 'ReplicationController' || kind === 'batch/CronJob';
}

/** Returns whether a pod belongs to an object; undefined for an object without pods of its own. */
export function podsOf(object: KubeObject): ((pod: KubeObject) => boolean) | undefined {
  const { uid } = object.metadata;
  const kind = groupKind(object);
  if (kind === 'Pod') return ({ metadata }) => metadata.uid === uid;
  if (!workloads.has(kind) && kind !== 'ReplicationController') return undefined;
  const selector = objectAt(object, 'spec', 'selector');
  const requirements = labelRequirements(kind === 'ReplicationController' ? { matchLabels: selector } : selector);
  return ({ metadata }) => matchesLabels(requirements, metadata.labels);
}

/**
 * Returns whether a pod belongs to the objects of a release in its namespace. Throws
 * `release_not_found`.
 */
export async function podsOfRelease(
  context: OperationContext,
  { namespace, releaseName }: { namespace: string; releaseName: string },
): Promise<(pod: KubeObject) => boolean> {
  const { release } = await get(context, { namespace, releaseName });
  const present = await presentObjects(context, release);
  const owners = present.flatMap((found) => {
    const object = 'object' in found ? found.object : undefined;
    return object === undefined || (object.metadata.namespace ?? namespace) !== namespace ? [] : (podsOf(object) ?? []);
  });
  return (pod) => owners.some((isOf) => isOf(pod));
}

/**
 * Returns the newest Job of a CronJob, and every other object as it is. Throws `not_found` if the
 * CronJob has no Job.
 */
export async function latestJobOf(
  { cluster, signal }: Pick<OperationContext, 'cluster' | 'signal'>,
  found: FoundObject,
): Promise<FoundObject> {
  const { ref, object } = found;
  if (groupKind(ref) !== 'batch/CronJob') return found;
  const { namespace } = ref;
  const kind = { apiVersion: 'batch/v1', kind: 'Job', ...(namespace !== undefined && { namespace }) };
  const jobs = await cluster.list({ ...kind, metadataOnly: true }, signal);
  const newest = jobs
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid))
    .reduce<KubeObject | undefined>((last, job) => (last && createdAt(last) >= createdAt(job) ? last : job), undefined);
  const job = newest && { ...kind, name: newest.metadata.name };
  const live = job && (await cluster.get(job, signal));
  if (job === undefined || live === undefined) {
    throw new OperationError('not_found', `CronJob ${ref.name} has no Job; run_job (ctl run-job) runs one`);
  }
  return { ref: job, object: live };
}

/** Returns the time of an object's creation as a text that can be compared. */
function createdAt({ metadata }: KubeObject): string {
  return metadata.creationTimestamp ?? '';
}
