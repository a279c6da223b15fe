import type { Cluster, ObjectQuery, ObservedChange } from '../../src/objects/cluster.ts';

/** Changes that a watch yields in turn. An error ends it. */
export type Script = (ObservedChange | Error)[];

/** Returns a cluster that yields the script of each query. All other requests fail. */
export function watchedCluster(script: (query: ObjectQuery) => Script): Cluster & { queries: ObjectQuery[] } {
  const queries: ObjectQuery[] = [];
  const fail = () => Promise.reject(new Error('unexpected request'));
  return {
    queries,
    capabilities: fail,
    recentCapabilities: fail,
    resourceKind: fail,
    servedKind: fail,
    servedKinds: fail,
    get: fail,
    list: fail,
    listPage: fail,
    create: fail,
    replace: fail,
    apply: fail,
    mergePatch: fail,
    strategicMergePatch: fail,
    patchSchema: fail,
    delete: fail,
    serverTime: () => undefined,
    podLog: fail,
    exec: fail,
    forwardPort: fail,
    followLog: () => {
      throw new Error('unexpected request');
    },
    streamLog: () => {
      throw new Error('unexpected request');
    },
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
