import type { KubeObject } from '../../objects/object.ts';
import type { Cluster, ObjectQuery } from '../../objects/cluster.ts';

/** Objects as they are now, followed by list and watch. */
export interface ObjectWatch {
  /** By `namespace/name`. Empty until the first list came. */
  readonly objects: ReadonlyMap<string, KubeObject>;
  /** Whether the first list came. */
  readonly listed: boolean;
  /** Ends with the signal, without an error; fails where the server refuses. */
  readonly finished: Promise<void>;
}

/** Follows a query until `signal` aborts; `onChange` is called after every change, and after the first list. */
export function watchObjects(
  cluster: Cluster,
  query: ObjectQuery,
  signal: AbortSignal,
  onChange: () => void,
): ObjectWatch {
  const objects = new Map<string, KubeObject>();
  const watch = { objects, listed: false, finished: follow() };
  return watch;

  async function follow(): Promise<void> {
    for await (const change of cluster.observe(query, signal)) {
      switch (change.type) {
        case 'snapshot':
          objects.clear();
          for (const object of change.objects) objects.set(objectKey(object.metadata), object);
          watch.listed = true;
          break;
        case 'changed':
          objects.set(objectKey(change.object.metadata), change.object);
          break;
        case 'deleted':
          objects.delete(objectKey(change.object.metadata));
          break;
      }
      onChange();
    }
  }
}

export function objectKey({ namespace = '', name }: { namespace?: string; name: string }): string {
  return `${namespace}/${name}`;
}
