import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../objects/object.ts';
import { apiVersionOf, type ResourceType } from '../store/resource-type.ts';
import { type FieldSet, fieldsOf, hasPath, leavesOf, valueFinder } from './field-set.ts';
import { topologyFor } from './list-keys.ts';
import { type ManagedFields, managedFieldsOf, withoutPaths } from './managed-fields.ts';

/** The client of a write that is not an apply. */
export interface UpdateManager {
  manager: string;
  /** Time of the write, in the format of Kubernetes. */
  time: string;
  subresource?: string;
}

/**
 * Makes a manager the owner of the fields that its write has added or changed, and of no others
 * than before. Other managers lose these fields, and all lose those that were removed. Modifies
 * the managed fields of `next`.
 */
export function recordUpdate(
  type: ResourceType,
  current: KubeObject | undefined,
  next: KubeObject,
  { manager, time, subresource }: UpdateManager,
): void {
  const given = givenEntries(current, next);
  const topologyOf = topologyFor(type);
  const before = current === undefined ? {} : fieldsOf(current, topologyOf, { ofUpdate: type, subresource });
  const after = fieldsOf(next, topologyOf, { ofUpdate: type, subresource });
  const [valueBefore, valueAfter] = [valueFinder(current), valueFinder(next)];
  const isEqual = (path: readonly string[]) =>
    path.at(-1) === '.' || isDeepStrictEqual(valueBefore(path), valueAfter(path));
  const changed = leavesOf(after).filter((path) => !hasPath(before, path) || !isEqual(path));
  const removed = leavesOf(before).filter((path) => !hasPath(after, path));
  const isOwn = (entry: ManagedFields) =>
    entry.manager === manager &&
    entry.operation === 'Update' &&
    entry.apiVersion === apiVersionOf(type) &&
    entry.subresource === subresource;
  const own = given.find(isOwn);
  const others = given.filter((entry) => entry !== own);
  const kept = own && withoutPaths(own, removed);
  const fieldsV1 = structuredClone(kept?.fieldsV1 ?? {});
  for (const path of changed) addPath(fieldsV1, path);
  const isSame = own !== undefined && isDeepStrictEqual(own.fieldsV1, fieldsV1);
  const entry: ManagedFields = {
    manager,
    operation: 'Update',
    apiVersion: apiVersionOf(type),
    time: isSame ? own.time : time,
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource !== undefined && { subresource }),
  };
  const entries = [
    ...others.flatMap(
      (other) => withoutPaths(other, [...removed, ...changed.filter((path) => isLost(other, path))]) ?? [],
    ),
    ...(Object.keys(fieldsV1).length > 0 ? [entry] : []),
  ];
  if (entries.length === 0) delete next.metadata['managedFields'];
  else next.metadata['managedFields'] = entries;
}

/** Returns the entries of the request. As in Kubernetes, none means those of the object. */
function givenEntries(current: KubeObject | undefined, next: KubeObject): ManagedFields[] {
  const given = managedFieldsOf(next);
  if (given.length === 1 && Object.keys(given[0] ?? {}).length === 0) return [];
  return given.length > 0 ? given : managedFieldsOf(current);
}

function isLost({ fieldsV1 }: ManagedFields, path: readonly string[]): boolean {
  return path.at(-1) !== '.' && hasPath(fieldsV1, path);
}

function addPath(set: FieldSet, path: readonly string[]): void {
  path.reduce<FieldSet>((at, step) => (at[step] ??= {}), set);
}
