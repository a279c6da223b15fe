import type { KubeObject } from '../../objects/object.ts';
import type { FieldSet } from './field-set.ts';

/** An entry of `metadata.managedFields`. */
export interface ManagedFields {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  time: string;
  fieldsType: 'FieldsV1';
  fieldsV1: FieldSet;
  subresource?: string;
}

export function managedFieldsOf(object: KubeObject | undefined): ManagedFields[] {
  return (object?.metadata['managedFields'] ?? []) as ManagedFields[]; // only the sandbox writes it
}

export function isApplyOf(entry: ManagedFields, manager: string): boolean {
  return entry.manager === manager && entry.operation === 'Apply' && entry.subresource === undefined;
}

/** Returns the entry without some of its fields, or undefined if none is left. */
export function withoutPaths(entry: ManagedFields, paths: readonly (readonly string[])[]): ManagedFields | undefined {
  const fieldsV1 = structuredClone(entry.fieldsV1);
  for (const path of paths) removePath(fieldsV1, path);
  return Object.keys(fieldsV1).length === 0 ? undefined : { ...entry, fieldsV1 };
}

function removePath(set: FieldSet, [step, ...rest]: readonly string[]): void {
  if (step === undefined) return;
  const below = set[step];
  if (below === undefined) return;
  removePath(below, rest);
  if (rest.length === 0 || Object.keys(below).length === 0) Reflect.deleteProperty(set, step);
}
