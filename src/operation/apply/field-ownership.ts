import type { Cluster } from '../../objects/cluster.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { ReleaseObject } from './release-object.ts';

/** An entry of `metadata.managedFields`. */
export interface ManagedFields {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  subresource?: string;
  fieldsV1?: FieldSet;
  [field: string]: unknown;
}

/** Fields as a trie: `{"f:data": {"f:key": {}}}`. */
interface FieldSet {
  [path: string]: FieldSet;
}

const attempts = 5;

/**
 * Turns the fields that a manager owns by client-side apply, as after Helm 3, into fields that it
 * owns by server-side apply. Otherwise fields that the chart drops would stay, and fields that it
 * changes would conflict. `live` is the current object.
 */
export async function migrateManagedFields(
  cluster: Cluster,
  { ref }: ReleaseObject,
  live: KubeObject,
  manager: string,
  signal: AbortSignal,
): Promise<void> {
  let object: KubeObject | undefined = live;
  for (let attempt = 1; object !== undefined; attempt += 1) {
    const managedFields = migratedEntries(managedFieldsOf(object), manager);
    if (managedFields === undefined) return;
    const { resourceVersion } = object.metadata;
    try {
      await cluster.mergePatch(ref, { metadata: { resourceVersion, managedFields } }, { signal });
      return;
    } catch (error) {
      if (!hasClusterErrorCode(error, 'conflict') || attempt === attempts) throw error;
      object = await cluster.get(ref, signal);
    }
  }
}

/** Whether a manager owns fields of the object by client-side apply. */
export function needsMigration(object: KubeObject, manager: string): boolean {
  return migratedEntries(managedFieldsOf(object), manager) !== undefined;
}

function managedFieldsOf({ metadata }: KubeObject): ManagedFields[] {
  const { managedFields } = metadata;
  return Array.isArray(managedFields) ? (managedFields as ManagedFields[]) : []; // as the API defines it
}

/**
 * Returns the entries after the migration, or undefined if there is nothing to migrate
 * (k8s.io/client-go/util/csaupgrade).
 */
export function migratedEntries(entries: readonly ManagedFields[], manager: string): ManagedFields[] | undefined {
  const own = (operation: string) => (entry: ManagedFields) =>
    entry.manager === manager && entry.operation === operation && (entry.subresource ?? '') === '';
  const updated = entries.find(own('Update'));
  if (updated === undefined) return undefined;
  const applied = entries.find(own('Apply'));
  const others = entries.filter((entry) => !own('Update')(entry) && entry !== applied);
  if (applied === undefined) return [{ ...updated, operation: 'Apply' }, ...others];
  const sameVersion = entries.find((entry) => own('Update')(entry) && entry.apiVersion === applied.apiVersion);
  return [{ ...applied, fieldsV1: union(applied.fieldsV1 ?? {}, sameVersion?.fieldsV1 ?? {}) }, ...others];
}

function union(a: FieldSet, b: FieldSet): FieldSet {
  const added = Object.entries(b).map(([path, fields]) => [path, union(a[path] ?? {}, fields)] as const);
  return { ...a, ...Object.fromEntries(added) };
}
