import type { Cluster } from '../../objects/cluster.ts';
import { identityOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { OperationError } from '../error.ts';
import { otherOwner, type Owner, ownershipProblems } from './ownership.ts';
import { readObjects } from './read-objects.ts';
import type { ReleaseObject } from './release-object.ts';
import { type SeenObject, seenObject } from './seen-object.ts';

/**
 * Returns the objects that exist, which the release adopts. Throws `ownership_conflict`, with a
 * message that starts with `prefix`, if one of them does not have the metadata of its owner, unless
 * the release takes ownership. Throws `invalid_manifest` for an object without a name.
 */
export async function checkOwnership(
  cluster: Cluster,
  objects: readonly ReleaseObject[],
  owner: Owner,
  options: { prefix: string; signal: AbortSignal; takeOwnership?: boolean | undefined },
): Promise<SeenObject[]> {
  const { prefix, signal, takeOwnership = false } = options;
  const unnamed = objects.find(({ ref, object }) => ref.name === '' && object.metadata['generateName'] === undefined);
  if (unnamed !== undefined) throw withoutName(prefix, unnamed.ref);
  const refs = objects.map(({ ref }) => ref).filter(({ name }) => name !== '');
  const found = await readObjects(cluster, refs, { signal, metadataOnly: true });
  return refs.flatMap((ref): SeenObject[] => {
    const existing = found.get(identityOf(ref));
    if (existing === undefined) return [];
    const problems = takeOwnership ? [] : ownershipProblems(existing, owner);
    if (problems.length > 0) throw ownershipConflict(`${prefix}: `, ref, problems);
    return [seenObject(ref, existing)];
  });
}

function withoutName(prefix: string, ref: ObjectRef): OperationError {
  const problem = `could not get information about the resource ${described(ref)}: resource name may not be empty`;
  return new OperationError('invalid_manifest', `${prefix}: ${problem}`);
}

/** Throws `ownership_conflict` if an object belongs to another release. */
export function requireNoOtherOwner(live: KubeObject, ref: ObjectRef, owner: Owner): void {
  if (otherOwner(live, owner) !== undefined) throw ownershipConflict('', ref, ownershipProblems(live, owner));
}

function ownershipConflict(prefix: string, ref: ObjectRef, problems: readonly string[]): OperationError {
  return new OperationError(
    'ownership_conflict',
    `${prefix}${described(ref)} exists and cannot be imported into the current release: invalid ownership metadata; ${problems.join('; ')}`,
  );
}

function described({ kind, name, namespace = '' }: ObjectRef): string {
  return `${kind} ${JSON.stringify(name)} in namespace ${JSON.stringify(namespace)}`;
}
