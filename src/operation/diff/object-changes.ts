import { isJsonObject } from '../../objects/fields.ts';
import { groupOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { type FieldChange, fieldChanges } from './field-changes.ts';

/** An object that an operation would add, change, delete and create again, or remove. */
export interface ObjectDifference {
  change: 'added' | 'changed' | 'recreated' | 'removed' | 'unknown';
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
  /** The fields that differ, if the object changes. */
  fields?: FieldChange[];
  /** Why it is unknown, as the API server would refuse the object, or why it was not checked. */
  reason?: string;
}

/** Values of fields that are not shown. */
const masked = '***';

/** Fields that the API server changes with every write. */
const serverFields = new Set([
  'creationTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
]);

/** Annotation of kubectl with a copy of the whole object. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

export function difference(
  change: ObjectDifference['change'],
  { apiVersion, kind, namespace, name }: ObjectRef,
  rest: Pick<ObjectDifference, 'fields' | 'reason'> = {},
): ObjectDifference {
  return { change, apiVersion, kind, ...(namespace !== undefined && { namespace }), name, ...rest };
}

/**
 * Compares two versions of an object. Returns undefined if they are equal. Values of Secrets are
 * not masked.
 */
export function changedObject(ref: ObjectRef, before: KubeObject, after: KubeObject): ObjectDifference | undefined {
  const fields = fieldChanges(comparable(before), comparable(after));
  return fields.length === 0 ? undefined : difference('changed', ref, { fields });
}

/** Returns the difference of an object that would be created. Values of Secrets are not masked. */
export function addedObject(ref: ObjectRef, object: KubeObject, reason?: string): ObjectDifference {
  const { apiVersion, kind, metadata } = object;
  const { name, namespace } = metadata;
  const identity = { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } };
  const fields = fieldChanges(identity, comparable(object));
  return difference('added', ref, { fields, ...(reason !== undefined && { reason }) });
}

/** Returns a difference in which the values of Secrets are masked. */
export function maskedDifference(given: ObjectDifference): ObjectDifference {
  const { fields } = given;
  return fields === undefined || !isSecret(given) ? given : { ...given, fields: fields.map(withoutSecrets) };
}

/** Returns an object without its status, and without what the API server sets itself. */
export function comparable({ status: _, metadata, ...object }: KubeObject): object {
  const kept = Object.entries(metadata).filter(([name]) => !serverFields.has(name));
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => name !== lastApplied);
  return {
    ...object,
    metadata: {
      ...Object.fromEntries(kept),
      ...(metadata.annotations && { annotations: Object.fromEntries(annotations) }),
    },
  };
}

export function isSecret({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>): boolean {
  return kind === 'Secret' && groupOf(apiVersion) === '';
}

/** Keeps the names of the keys of a Secret, but not their values. */
function withoutSecrets({ path, before, after }: FieldChange): FieldChange {
  if (!/^(data|stringData)\b/.test(path)) {
    return { path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
  }
  return {
    path,
    ...(before !== undefined && { before: mask(before) }),
    ...(after !== undefined && { after: mask(after) }),
  };
}

function mask(value: unknown): unknown {
  return isJsonObject(value) ? Object.fromEntries(Object.keys(value).map((key) => [key, masked])) : masked;
}
