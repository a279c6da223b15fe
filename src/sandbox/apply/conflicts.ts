import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../api-error.ts';
import { isJsonObject } from '../../objects/fields.ts';
import { elementMatches, hasPath, leavesOf, type FieldSet } from './field-set.ts';
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
  return others
    .map((manager) => ({
      manager,
      paths: leavesOf(manager.fieldsV1).filter(
        (path) => hasPath(fields, path) && !isDeepStrictEqual(valueAtSteps(current, path), valueAtSteps(applied, path)),
      ),
    }))
    .filter(({ paths }) => paths.length > 0);
}

/** Returns the value at a path of steps. */
export function valueAtSteps(object: unknown, steps: readonly string[]): unknown {
  return steps
    .filter((step) => step !== '.')
    .reduce<unknown>((at, step) => {
      if (step.startsWith('f:')) return isJsonObject(at) ? at[step.slice(2)] : undefined;
      return Array.isArray(at) ? at.find((element) => elementMatches(element, step)) : undefined;
    }, object);
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
