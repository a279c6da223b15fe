import type { KubeObject } from '../../objects/object.ts';
import type { Cluster } from '../../objects/cluster.ts';
import { hasCode } from '../error-code.ts';
import type { Target } from './target.ts';

/** One manager's entry in `metadata.managedFields`. */
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
 * Makes a manager the owner by server-side apply of the fields that it owns by client-side apply, as Helm 3 leaves them: else what the chart drops would stay, and what it
 * changes would be a conflict with itself. `live` is the object as it was just read.
 */
export async function takeOverFields(
  cluster: Cluster,
  { ref }: Target,
  live: KubeObject,
  manager: string,
  signal: AbortSignal,
): Promise<void> {
  let object: KubeObject | undefined = live;
  for (let attempt = 1; object !== undefined; attempt += 1) {
    const managedFields = fieldsTakenOver(managedFieldsOf(object), manager);
    if (managedFields === undefined) return;
    const { resourceVersion } = object.metadata;
    try {
      await cluster.mergePatch(ref, { metadata: { resourceVersion, managedFields } }, { signal });
      return;
    } catch (error) {
      if (!hasCode(error, 'conflict') || attempt === attempts) throw error;
      object = await cluster.get(ref, signal);
    }
  }
}

function managedFieldsOf({ metadata }: KubeObject): ManagedFields[] {
  const { managedFields } = metadata;
  return Array.isArray(managedFields) ? (managedFields as ManagedFields[]) : []; // as the API defines it
}

/** The entries after the take-over; undefined where there is nothing to take over (k8s.io/client-go/util/csaupgrade). */
export function fieldsTakenOver(entries: readonly ManagedFields[], manager: string): ManagedFields[] | undefined {
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
