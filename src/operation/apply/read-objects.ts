import type { Cluster } from '../../objects/cluster.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { identityOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { forEach } from './concurrency.ts';

/** Number of objects of a kind in a namespace from which on they are read by one list. */
const worthList = 4;

/**
 * Most objects that a list may have for each one that is wanted. A namespace can have many others:
 * what the list does not reach is read by its name.
 */
const listedPerWanted = 20;

export interface ReadOptions {
  signal: AbortSignal;
  /** Whether only metadata is needed, which makes lists small. Default: false. */
  metadataOnly?: boolean;
}

/** Reads the objects that exist, with as few requests as possible. Returns them by identity. */
export async function readObjects(
  cluster: Cluster,
  refs: readonly ObjectRef[],
  options: ReadOptions,
): Promise<ReadonlyMap<string, KubeObject>> {
  const groups = [...Map.groupBy(refs, groupKey).values()];
  const found = new Map<string, KubeObject>();
  const note = (ref: ObjectRef, object: KubeObject | undefined) => {
    if (object !== undefined) found.set(identityOf(ref), object);
  };
  const readOne = async (ref: ObjectRef) => {
    note(ref, await cluster.get(ref, options.signal));
  };
  const remaining = await forEach(
    groups.flatMap((group) => (group.length < worthList ? group.map((ref) => [ref]) : [group])),
    async (group): Promise<ObjectRef[]> => {
      const [first, second] = group;
      if (first === undefined) return [];
      if (second === undefined) {
        await readOne(first);
        return [];
      }
      const listed = await listGroup(cluster, first, group.length * listedPerWanted, options);
      if (listed === undefined) return group;
      for (const ref of group) note(ref, listed.objects.get(ref.name));
      return listed.isComplete ? [] : group.filter(({ name }) => !listed.objects.has(name));
    },
  );
  await forEach(remaining.flat(), readOne);
  return found;
}

/** Returns undefined if the API server does not allow the list. */
async function listGroup(
  cluster: Cluster,
  { apiVersion, kind, namespace }: ObjectRef,
  most: number,
  { signal, metadataOnly = false }: ReadOptions,
): Promise<{ objects: ReadonlyMap<string, KubeObject>; isComplete: boolean } | undefined> {
  const query = { apiVersion, kind, ...(namespace !== undefined && { namespace }), metadataOnly, most };
  try {
    const listed = await cluster.list(query, signal);
    const objects = new Map(listed.map((object) => [object.metadata.name, object]));
    return { objects, isComplete: listed.length < most };
  } catch (error) {
    if (hasClusterErrorCode(error, 'forbidden', 'bad_request')) return undefined;
    throw error;
  }
}

function groupKey({ apiVersion, kind, namespace = '' }: ObjectRef): string {
  return `${apiVersion} ${kind} ${namespace}`;
}
