import type { Cluster } from '../objects/cluster.ts';
import { isJsonObject, objectAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { type ObjectTarget, targetOf } from '../objects/object-target.ts';
import type { CommandPolicy } from './command-policy.ts';

/** Fields of the metadata that say who owns fields, and which object is meant. */
const managerFields: ReadonlySet<string> = new Set(['managedFields', 'resourceVersion', 'uid']);

/** Whether a merge patch changes only who owns the fields of an object, and no value. */
function changesOnlyManagers(patch: unknown): boolean {
  if (!isJsonObject(patch) || Object.keys(patch).join() !== 'metadata') return false;
  const metadata = objectAt(patch, 'metadata');
  return 'managedFields' in metadata && Object.keys(metadata).every((field) => managerFields.has(field));
}

/**
 * Returns a cluster in which only the objects can be changed that the policy allows. All requests
 * of a command that change something pass here, whatever it has checked before.
 */
export function limitedCluster(cluster: Cluster, policy: CommandPolicy): Cluster {
  const requireWrite = (ref: ObjectTarget, object: unknown) => {
    policy.requireChange(ref, object);
    policy.requireWritten({ ref, object });
  };
  const requireObject = async (object: KubeObject) => {
    requireWrite(targetOf(object), object);
    await policy.conditions?.requireObjects([object]);
  };
  /** Compares the object that a patch makes: what is sent is only a part of it. */
  const requireResult = async (tried: () => Promise<KubeObject>) => {
    if (policy.conditions?.readsObjects === true) await policy.conditions.requireObjects([await tried()]);
  };
  return {
    ...cluster,
    async create(object, options) {
      await requireObject(object);
      return await cluster.create(object, options);
    },
    async replace(object, options) {
      await requireObject(object);
      return await cluster.replace(object, options);
    },
    async apply(object, options) {
      await requireObject(object);
      return await cluster.apply(object, options);
    },
    async mergePatch(ref, patch, options) {
      requireWrite(ref, patch);
      if (!changesOnlyManagers(patch))
        await requireResult(() => cluster.mergePatch(ref, patch, { ...options, dryRun: true }));
      return await cluster.mergePatch(ref, patch, options);
    },
    async strategicMergePatch(ref, patch, options) {
      requireWrite(ref, patch);
      await requireResult(() => cluster.strategicMergePatch(ref, patch, { ...options, dryRun: true }));
      return await cluster.strategicMergePatch(ref, patch, options);
    },
    async delete(ref, options) {
      policy.requireChange(ref, undefined);
      return await cluster.delete(ref, options);
    },
  };
}
