import type { Cluster, ObjectQuery, ObservedChange } from '../../src/objects/cluster.ts';

/** What a watch yields, one after the other; an error ends it. */
export type Script = (ObservedChange | Error)[];

/** A cluster that can only be watched: `script` says what is seen of a query. Everything else fails. */
export function watchedCluster(script: (query: ObjectQuery) => Script): Cluster & { queries: ObjectQuery[] } {
  const queries: ObjectQuery[] = [];
  const fail = () => Promise.reject(new Error('not expected'));
  return {
    queries,
    capabilities: fail,
    resourceKind: fail,
    get: fail,
    list: fail,
    create: fail,
    replace: fail,
    apply: fail,
    mergePatch: fail,
    delete: fail,
    podLog: fail,
    async *observe(query, signal) {
      queries.push(query);
      for (const change of script(query)) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (change instanceof Error) throw change;
        yield change;
      }
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
  };
}
