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
  /** Whether to take fields from other managers instead of failing with a conflict. */
  force: boolean;
  /** Time of the apply, in the format of Kubernetes. */
  time: string;
}

/**
 * Applies a configuration to an object and returns the result. Fields that this manager applied
 * before are removed if the configuration omits them and no other manager owns them. Throws a 409
 * if another manager owns a field with another value.
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
  // A KubeObject is a JSON object.
  const merged = structuredClone(mergeApplied((current ?? {}) as JsonObject, applied, topologyOf));
  const isOwned = (path: readonly string[]): boolean => {
    // a map with fields is a field itself
    const whole = path.at(-1) === '.' ? path.slice(0, -1) : path;
    return hasPath(fields, whole) || others.some((entry) => hasPath(entry.fieldsV1, path));
  };
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
  const result = merged as unknown as KubeObject; // the result of merging two of them
  result.metadata['managedFields'] = [own, ...withoutLostFields(others, conflicts)];
  return result;
}

function withoutLostFields(others: readonly ManagedFields[], conflicts: readonly Conflict[]): ManagedFields[] {
  return others.flatMap((entry) => {
    const lost = conflicts.find(({ manager }) => manager === entry)?.paths ?? [];
    return withoutPaths(entry, lost) ?? [];
  });
}
