import type { KubeObject } from '../../objects/object.ts';
import { badRequest } from '../api-error.ts';
import type { JsonObject } from '../../objects/fields.ts';
import { apiVersionOf, type ResourceType } from '../store/resource-type.ts';
import { conflictError, findConflicts, type Conflict } from './conflicts.ts';
import { fieldsOf, hasPath, leavesOf } from './field-set.ts';
import { topologyFor } from './list-keys.ts';
import { isApplyOf, managedFieldsOf, withoutPaths, type ManagedFields } from './managed-fields.ts';
import { mergeApplied, removeLeaf } from './merge.ts';

export interface ApplyRequest {
  manager: string;
  /** Take fields from other managers instead of failing with a conflict. */
  force: boolean;
  /** When it is applied, as Kubernetes writes times. */
  time: string;
}

/**
 * The object after `applied` was applied to it: merged, without what this manager had applied before and now leaves out and no other owns, and with the
 * manager's fields remembered. Fails with 409 where another manager owns a field and wants another value.
 */
export function applyConfiguration(
  type: ResourceType,
  current: KubeObject | undefined,
  applied: KubeObject,
  { manager, force, time }: ApplyRequest,
): KubeObject {
  if (applied.metadata['managedFields'] !== undefined) throw badRequest('metadata.managedFields must be nil');
  const topologyOf = topologyFor(type);
  const entries = managedFieldsOf(current);
  const before = entries.find((entry) => isApplyOf(entry, manager));
  const others = entries.filter((entry) => entry !== before);
  const fields = fieldsOf(applied, topologyOf);
  const conflicts = findConflicts(others, fields, current, applied);
  if (conflicts.length > 0 && !force) throw conflictError(conflicts);
  const merged = structuredClone(mergeApplied((current ?? {}) as JsonObject, applied, topologyOf)); // a KubeObject is a JSON object
  const isOwned = (path: readonly string[]): boolean =>
    hasPath(fields, path) || others.some((entry) => hasPath(entry.fieldsV1, path));
  for (const leaf of leavesOf(before?.fieldsV1 ?? {})) {
    if (!isOwned(leaf)) removeLeaf(merged, leaf, isOwned);
  }
  const unchanged = before !== undefined && JSON.stringify(before.fieldsV1) === JSON.stringify(fields);
  const own: ManagedFields = {
    manager,
    operation: 'Apply',
    apiVersion: apiVersionOf(type),
    time: unchanged ? before.time : time,
    fieldsType: 'FieldsV1',
    fieldsV1: fields,
  };
  const result = merged as unknown as KubeObject; // merged from two of them
  result.metadata['managedFields'] = [own, ...losing(others, conflicts)];
  return result;
}

function losing(others: readonly ManagedFields[], conflicts: readonly Conflict[]): ManagedFields[] {
  return others.flatMap((entry) => {
    const lost = conflicts.find(({ manager }) => manager === entry)?.paths ?? [];
    return withoutPaths(entry, lost) ?? [];
  });
}
