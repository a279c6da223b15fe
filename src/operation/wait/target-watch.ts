import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import type { Cluster, ObjectQuery } from '../../objects/cluster.ts';
import { objectKey, watchObjects, type ObjectWatch } from './object-watch.ts';
import { managedByLabel } from '../apply/ownership.ts';

/** The objects of a release, followed together. */
export interface TargetWatch {
  /** The object as it is now; undefined where it is not there; `unknown` until the first list came. */
  look(ref: ObjectRef): KubeObject | undefined | 'unknown';
  /** Fails as soon as one of the watches is refused; else ends with the signal. */
  readonly finished: Promise<void>;
}

export interface TargetWatchOptions {
  /** Whether all objects carry Helm's label, as all but hooks do: several of a kind are then followed by one watch for it. */
  labelled: boolean;
  signal: AbortSignal;
  onChange: () => void;
}

/** Follows these objects and, as far as the API allows, no others: a watch for each kind and namespace. */
export function watchTargets(cluster: Cluster, refs: readonly ObjectRef[], options: TargetWatchOptions): TargetWatch {
  const { labelled, signal, onChange } = options;
  const watches = new Map<string, ObjectWatch>();
  const groups = labelled ? Map.groupBy(refs, groupKey) : Map.groupBy(refs, singleKey);
  for (const [key, group] of groups) {
    const query = queryFor(group);
    if (query) watches.set(key, watchObjects(cluster, query, signal, onChange));
  }
  const keyOf = labelled ? groupKey : singleKey;
  return {
    look(ref) {
      const watch = watches.get(keyOf(ref));
      return watch?.listed === true ? watch.objects.get(objectKey(ref)) : 'unknown';
    },
    finished: Promise.all(Array.from(watches.values(), ({ finished }) => finished)).then(() => undefined),
  };
}

function queryFor(group: readonly ObjectRef[]): ObjectQuery | undefined {
  const [first] = group;
  if (first === undefined) return undefined;
  const { apiVersion, kind, namespace, name } = first;
  return {
    apiVersion,
    kind,
    ...(namespace !== undefined && { namespace }),
    ...(group.length === 1 ? { fieldSelector: `metadata.name=${name}` } : { labelSelector: `${managedByLabel}=Helm` }),
  };
}

function groupKey({ apiVersion, kind, namespace = '' }: ObjectRef): string {
  return `${apiVersion} ${kind} ${namespace}`;
}

function singleKey(ref: ObjectRef): string {
  return `${groupKey(ref)}/${ref.name}`;
}
