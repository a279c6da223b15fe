import type { Cluster, ObservedChange } from './cluster.ts';
import type { KubeObject } from './object.ts';
import { type ObjectTarget, targetOf } from './object-target.ts';

/** Error for a request to a namespace that is not accessible. */
class GuardedNamespaceError extends Error {
  override readonly name = 'GuardedNamespaceError';
  readonly code = 'forbidden';
  /** As the API server responds to a request without rights. */
  readonly status = 403;
}

/**
 * Returns a cluster without the objects of a namespace: requests for them fail with `forbidden` and
 * `message`, and lists over all namespaces leave them out. The namespace itself can be read, and
 * not be changed.
 */
export function guardedCluster(cluster: Cluster, namespace: string, message: string): Cluster {
  const requireOther = ({ namespace: target }: Pick<ObjectTarget, 'namespace'>): void => {
    if (target === namespace) throw new GuardedNamespaceError(message);
  };
  const requireWritable = (target: ObjectTarget): void => {
    requireOther(target);
    if (target.kind === 'Namespace' && target.apiVersion === 'v1' && target.name === namespace) {
      throw new GuardedNamespaceError(message);
    }
  };
  const isOther = ({ metadata }: KubeObject): boolean => metadata.namespace !== namespace;
  const othersOf = (change: ObservedChange): ObservedChange[] => {
    if (change.type === 'snapshot') return [{ ...change, objects: change.objects.filter(isOther) }];
    return isOther(change.object) ? [change] : [];
  };

  return {
    ...cluster,
    async get(ref, signal) {
      requireOther(ref);
      return await cluster.get(ref, signal);
    },
    async list(query, signal) {
      requireOther(query);
      return (await cluster.list(query, signal)).filter(isOther);
    },
    async listPage(query, signal) {
      requireOther(query);
      const page = await cluster.listPage(query, signal);
      return { ...page, objects: page.objects.filter(isOther) };
    },
    async create(object, options) {
      requireWritable(targetOf(object));
      return await cluster.create(object, options);
    },
    async replace(object, options) {
      requireWritable(targetOf(object));
      return await cluster.replace(object, options);
    },
    async apply(object, options) {
      requireWritable(targetOf(object));
      return await cluster.apply(object, options);
    },
    async mergePatch(ref, patch, options) {
      requireWritable(ref);
      return await cluster.mergePatch(ref, patch, options);
    },
    async strategicMergePatch(ref, patch, options) {
      requireWritable(ref);
      return await cluster.strategicMergePatch(ref, patch, options);
    },
    async delete(ref, options) {
      requireWritable(ref);
      return await cluster.delete(ref, options);
    },
    async *observe(query, signal) {
      requireOther(query);
      for await (const change of cluster.observe(query, signal)) yield* othersOf(change);
    },
    async podLog(pod, options) {
      requireOther(pod);
      return await cluster.podLog(pod, options);
    },
    async *followLog(pod, options) {
      requireOther(pod);
      yield* cluster.followLog(pod, options);
    },
    async exec(pod, options) {
      requireOther(pod);
      return await cluster.exec(pod, options);
    },
    async *streamLog(pod, options) {
      requireOther(pod);
      yield* cluster.streamLog(pod, options);
    },
  };
}
