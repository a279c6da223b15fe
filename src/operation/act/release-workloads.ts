import type { ObjectRef } from '../../objects/object.ts';
import { otherOwner } from '../apply/ownership.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';
import { get } from '../get.ts';
import type { FoundObject } from '../objects/find-object.ts';
import { presentObjects } from '../present-objects.ts';
import { canBeStopped } from './stopped-workload.ts';

/**
 * Returns the workloads of the newest revision of a release that exist and belong to it. Throws
 * `release_not_found`, and the refusal if one cannot be read. `isWanted` says which kinds count.
 * Default: those that can be stopped.
 */
export async function releaseWorkloads(
  context: OperationContext,
  { namespace, releaseName }: { namespace: string; releaseName: string },
  isWanted: (ref: ObjectRef) => boolean = canBeStopped,
): Promise<FoundObject[]> {
  const { release } = await get(context, { namespace, releaseName });
  const workloads: FoundObject[] = [];
  for (const found of await presentObjects(context, release)) {
    if ('unknown' in found) {
      if (!isWanted(found.unknown)) continue;
      const { kind, name, reason = 'it cannot be read' } = found.unknown;
      throw new OperationError('forbidden', `${kind} ${name}: ${reason}`);
    }
    const { ref, object } = found;
    if (object === undefined || !isWanted(ref)) continue;
    if (otherOwner(object, { name: releaseName, namespace }) === undefined) workloads.push({ ref, object });
  }
  return workloads;
}
