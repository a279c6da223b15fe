import type { Cluster, ObservedChange } from './cluster.ts';
import { listAt, stringAt } from './fields.ts';
import { groupOf } from './group-kind.ts';
import type { KubeObject } from './object.ts';
import { type ObjectTarget, targetOf } from './object-target.ts';

/** Error for a request to a namespace that is not accessible. */
class GuardedNamespaceError extends Error {
  override readonly name = 'GuardedNamespaceError';
  readonly code = 'forbidden';
  /** As the API server responds to a request without rights. */
  readonly status = 403;
}

const bindingKinds: ReadonlySet<string> = new Set(['RoleBinding', 'ClusterRoleBinding']);
const roleKinds: ReadonlySet<string> = new Set([...bindingKinds, 'Role', 'ClusterRole']);

/**
 * Returns a cluster without the objects of a namespace: requests for them fail with `forbidden` and
 * `message`, and lists over all namespaces leave them out. The namespace itself can be read, and
 * not be changed. Neither can roles of a release of the namespace, and bindings of its accounts,
 * wherever they are.
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
  /** Whether an object gives rights to an account of the namespace. */
  const isOwnBinding = ({ kind }: ObjectTarget, content: unknown): boolean =>
    bindingKinds.has(kind) &&
    listAt(content, 'subjects').some((subject) => {
      const [subjectKind, name = ''] = [stringAt(subject, 'kind'), stringAt(subject, 'name')];
      if (subjectKind === 'ServiceAccount') return stringAt(subject, 'namespace') === namespace;
      return name === `system:serviceaccounts:${namespace}` || name.startsWith(`system:serviceaccount:${namespace}:`);
    });
  const requireChangeable = async (target: ObjectTarget, content: unknown, signal?: AbortSignal): Promise<void> => {
    requireWritable(target);
    if (!roleKinds.has(target.kind) || groupOf(target.apiVersion) !== 'rbac.authorization.k8s.io') return;
    if (isOwnBinding(target, content)) throw new GuardedNamespaceError(message);
    const { apiVersion, kind, name, namespace: place } = target;
    if (name === undefined) return;
    const live = await cluster.get(
      { apiVersion, kind, name, ...(place !== undefined && { namespace: place }) },
      signal,
    );
    const owner = live?.metadata.annotations?.['meta.helm.sh/release-namespace'];
    if (owner === namespace || isOwnBinding(target, live)) throw new GuardedNamespaceError(message);
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
      await requireChangeable(targetOf(object), object, options?.signal);
      return await cluster.create(object, options);
    },
    async replace(object, options) {
      await requireChangeable(targetOf(object), object, options?.signal);
      return await cluster.replace(object, options);
    },
    async apply(object, options) {
      await requireChangeable(targetOf(object), object, options.signal);
      return await cluster.apply(object, options);
    },
    async mergePatch(ref, patch, options) {
      await requireChangeable(ref, patch, options?.signal);
      return await cluster.mergePatch(ref, patch, options);
    },
    async strategicMergePatch(ref, patch, options) {
      await requireChangeable(ref, patch, options?.signal);
      return await cluster.strategicMergePatch(ref, patch, options);
    },
    async delete(ref, options) {
      await requireChangeable(ref, undefined, options?.signal);
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
    async forwardPort(pod, options) {
      requireOther(pod);
      return await cluster.forwardPort(pod, options);
    },
    async *streamLog(pod, options) {
      requireOther(pod);
      yield* cluster.streamLog(pod, options);
    },
  };
}
