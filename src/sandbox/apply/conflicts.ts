import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../api-error.ts';
import { hasPath, leavesOf, valueFinder, type FieldSet } from './field-set.ts';
import { formatSteps } from './path-format.ts';
import type { ManagedFields } from './managed-fields.ts';

/** Fields of another manager that a configuration would change. */
export interface Conflict {
  manager: ManagedFields;
  paths: string[][];
}

/**
 * Returns the fields of other managers to which `applied`, with its set of `fields`, would give
 * another value.
 */
export function findConflicts(
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
export function conflictError(conflicts: readonly Conflict[]): ApiError {
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
