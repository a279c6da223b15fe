import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { ApiError, badRequest } from '../api-error.ts';
import { apiVersionOf, type ResourceType } from '../store/resource-type.ts';
import { type FieldSet, fieldsOf, hasPath, leavesOf, valueFinder } from './field-set.ts';
import { topologyFor } from './list-keys.ts';
import { isApplyOf, type ManagedFields, managedFieldsOf, withoutPaths } from './managed-fields.ts';
import { mergeApplied, removeLeaf } from './merge.ts';
import { formatSteps } from './path-format.ts';

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

/** Fields of another manager that a configuration would change. */
interface Conflict {
  manager: ManagedFields;
  paths: string[][];
}

/**
 * Returns the fields of other managers to which `applied`, with its set of `fields`, would give
 * another value.
 */
function findConflicts(
  others: readonly ManagedFields[],
  fields: FieldSet,
  current: unknown,
  applied: unknown,
): Conflict[] {
  const [before, after] = [valueFinder(current), valueFinder(applied)];
  return others
    .map((manager) => ({
      manager,
      paths: leavesOf(manager.fieldsV1).filter(
        (path) => hasPath(fields, path) && !isDeepStrictEqual(before(path), after(path)),
      ),
    }))
    .filter(({ paths }) => paths.length > 0);
}

/** Returns a 409 with the message of the API server. */
function conflictError(conflicts: readonly Conflict[]): ApiError {
  const count = conflicts.reduce((sum, { paths }) => sum + paths.length, 0);
  const causes = conflicts.flatMap(({ manager, paths }) =>
    paths.map((path) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${describeManager(manager)}`,
      field: formatSteps(path),
    })),
  );
  const [only] = causes;
  const list =
    count === 1 && only
      ? `1 conflict: ${only.message}: ${only.field}`
      : `${count} conflicts: ${conflicts.map(describeConflicts).join('\n')}`;
  return new ApiError(409, 'Conflict', `Apply failed with ${list}`, { causes });
}

function describeConflicts({ manager, paths }: Conflict): string {
  return [`conflicts with ${describeManager(manager)}:`, ...paths.map((path) => `- ${formatSteps(path)}`)].join('\n');
}

function describeManager({ manager, operation, apiVersion, subresource }: ManagedFields): string {
  const part = subresource === undefined ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  return `${JSON.stringify(manager)}${part}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;
}
