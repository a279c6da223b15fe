import type { Cluster } from '../../objects/cluster.ts';
import type { Lookup, ResolveHost } from '../../render/render-input.ts';
import type { OperationContext } from '../context.ts';

/**
 * Returns the `lookup` function for templates, which reads from the cluster. Kinds in `unserved`,
 * as `group/version/Kind`, do not exist yet and count as empty.
 */
export function clusterLookup(
  cluster: Cluster,
  signal: AbortSignal,
  unserved: ReadonlySet<string> = new Set(),
): Lookup {
  return async (apiVersion, kind, namespace, name) => {
    if (unserved.has(`${apiVersion}/${kind}`)) return {};
    const { namespaced } = await cluster.resourceKind(apiVersion, kind, signal);
    const scope = namespaced && namespace !== '' ? { namespace } : {};
    if (name === '') {
      const items = await cluster.list({ apiVersion, kind, ...scope }, signal);
      return { apiVersion, kind: `${kind}List`, metadata: {}, items };
    }
    if (namespaced && namespace === '') return {};
    return (await cluster.get({ apiVersion, kind, name, ...scope }, signal)) ?? {};
  };
}

/** Returns the function that resolves host names for templates, if a request allows that. */
export function hostLookup(
  { resolveHost = () => Promise.resolve([]) }: Pick<OperationContext, 'resolveHost'>,
  { enableDns = false }: { enableDns?: boolean },
  signal: AbortSignal,
): ResolveHost | undefined {
  return enableDns ? (name) => resolveHost(name, signal) : undefined;
}
