import type { KubeObject } from '../../objects/object.ts';
import { badRequest } from '../api-error.ts';
import type { Json } from '../json.ts';
import { apiVersionOf, type ResourceType } from '../resource-type.ts';
import { fieldsOf, hasPath, leavesOf, type FieldSet } from './field-set.ts';
import { topologyFor } from './list-keys.ts';
import { mergeApplied, removeLeaf } from './merge.ts';

/** One entry of `metadata.managedFields`. */
export interface ManagedFields {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  time: string;
  fieldsType: 'FieldsV1';
  fieldsV1: FieldSet;
  subresource?: string;
}

/**
 * The object after `applied` was applied to it: merged, without what this manager had applied before and now leaves out and no other owns, and with the
 * manager's fields remembered.
 */
export function applyConfiguration(
  type: ResourceType,
  current: KubeObject | undefined,
  applied: KubeObject,
  manager: string,
  time: string,
): KubeObject {
  if (applied.metadata['managedFields'] !== undefined) throw badRequest('metadata.managedFields must be nil');
  const topologyOf = topologyFor(type);
  const entries = managedFieldsOf(current);
  const before = entries.find((entry) => isApplyOf(entry, manager));
  const others = entries.filter((entry) => entry !== before);
  const fields = fieldsOf(applied, topologyOf); // a KubeObject is a JSON object
  const merged = structuredClone(mergeApplied((current ?? {}) as Json, applied as unknown as Json, topologyOf)); // as above
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
  result.metadata['managedFields'] = [own, ...others];
  return result;
}

function managedFieldsOf(object: KubeObject | undefined): ManagedFields[] {
  return (object?.metadata['managedFields'] ?? []) as ManagedFields[]; // written by this file only
}

function isApplyOf(entry: ManagedFields, manager: string): boolean {
  return entry.manager === manager && entry.operation === 'Apply' && entry.subresource === undefined;
}
