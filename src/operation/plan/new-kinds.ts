import type { Cluster } from '../../objects/cluster.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { isJsonObject } from '../../objects/fields.ts';
import { groupOf } from '../../objects/group-kind.ts';
import type { KubeObject, ResourceKind } from '../../objects/object.ts';
import type { CrdManifest } from '../../render/release-renderer.ts';
import type { ReleaseObject } from '../apply/release-object.ts';
import type { OperationContext } from '../context.ts';
import type { PreviewRequest } from '../request.ts';
import type { Work } from '../work.ts';

/**
 * Returns the cluster as it is after the CRDs of a chart are applied: it serves their kinds, and
 * has no objects of those that it does not serve yet.
 */
function withNewKinds(cluster: Cluster, files: readonly CrdManifest[]): Cluster {
  const kinds = new Map(files.flatMap(({ objects }) => objects.flatMap(({ object }) => kindsOf(object))));
  if (kinds.size === 0) return cluster;
  return {
    ...cluster,
    async resourceKind(apiVersion, kind, signal) {
      try {
        return await cluster.resourceKind(apiVersion, kind, signal);
      } catch (error) {
        const found = kinds.get(`${apiVersion}/${kind}`);
        if (found === undefined || !hasClusterErrorCode(error, 'unknown_kind')) throw error;
        return found;
      }
    },
    async get(ref, signal) {
      try {
        return await cluster.get(ref, signal);
      } catch (error) {
        if (!kinds.has(`${ref.apiVersion}/${ref.kind}`) || !hasClusterErrorCode(error, 'unknown_kind')) throw error;
        return undefined;
      }
    },
  };
}

/** Returns the context of an operation. That of a plan has the kinds of the chart's CRDs. */
export function planningContext({ context, request, cache }: Work<PreviewRequest>): OperationContext {
  if (request.preview !== 'plan') return context;
  return { ...context, cluster: withNewKinds(context.cluster, cache.crds ?? []) };
}

/** Returns whether a cluster serves a kind. */
async function servesKind(
  cluster: Cluster,
  { apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await cluster.resourceKind(apiVersion, kind, signal);
    return true;
  } catch (error) {
    if (!hasClusterErrorCode(error, 'unknown_kind')) throw error;
    return false;
  }
}

/** Returns the kinds that a CRD defines, by `group/version/Kind`. */
function kindsOf({ kind, spec }: KubeObject): [string, ResourceKind][] {
  if (kind !== 'CustomResourceDefinition' || !isJsonObject(spec)) return [];
  const { group, names, scope, versions } = spec;
  if (!isJsonObject(names) || !Array.isArray(versions)) return [];
  const { kind: defined, plural } = names;
  if (typeof group !== 'string' || typeof defined !== 'string' || typeof plural !== 'string') return [];
  return versions.flatMap((version: unknown): [string, ResourceKind][] => {
    if (!isJsonObject(version) || version['served'] === false) return [];
    const apiVersion = `${group}/${String(version['name'])}`;
    const found = { apiVersion, kind: defined, resource: plural, namespaced: scope !== 'Cluster' };
    return [[`${apiVersion}/${defined}`, found]];
  });
}

/** Returns a function that says why the API server does not know yet where an object belongs. */
export async function uncheckedReasons(
  cluster: Cluster,
  namespace: string,
  objects: readonly ReleaseObject[],
  signal: AbortSignal,
): Promise<(item: ReleaseObject) => string | undefined> {
  const newNamespaces = new Set<string>();
  const own = objects.filter(({ ref }) => ref.kind === 'Namespace' && groupOf(ref.apiVersion) === '');
  for (const name of new Set([namespace, ...own.map(({ ref }) => ref.name)])) {
    const live = await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name }, signal);
    if (live === undefined) newNamespaces.add(name);
  }
  const newKinds = new Set<string>();
  for (const { ref } of objects) {
    if (!(await servesKind(cluster, ref, signal))) newKinds.add(`${ref.apiVersion}/${ref.kind}`);
  }
  return ({ ref }) => {
    if (newKinds.has(`${ref.apiVersion}/${ref.kind}`)) return 'not checked: its CRD does not exist yet';
    if (ref.namespace === undefined || !newNamespaces.has(ref.namespace)) return undefined;
    return `not checked: the namespace ${ref.namespace} does not exist yet`;
  };
}
