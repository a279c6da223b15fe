import type { Lookup, ResolveHost } from '../../render/render-input.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';

interface LookupOptions {
  /** The namespace of the release. */
  namespace: string;
  /** Kinds that do not exist yet and count as empty, as `group/version/Kind`. Default: none. */
  unserved?: ReadonlySet<string>;
}

/**
 * Returns the `lookup` function for templates, which reads what they may see of the cluster. It
 * fails with `forbidden` for other objects.
 */
export function clusterLookup(
  { cluster, ...limits }: Pick<OperationContext, 'cluster' | 'policy' | 'lookup'>,
  { namespace: releaseNamespace, unserved = new Set() }: LookupOptions,
  signal: AbortSignal,
): Lookup {
  return async (apiVersion, kind, namespace, name) => {
    if (unserved.has(`${apiVersion}/${kind}`)) return {};
    const { namespaced } = await cluster.resourceKind(apiVersion, kind, signal);
    limits.policy?.requireRead({ apiVersion, kind });
    // without a namespace and with a name, nothing is read
    const isOther = namespaced && namespace !== releaseNamespace && (namespace !== '' || name === '');
    requireVisible(limits, isOther, () => {
      const place = namespaced ? ` in ${namespace === '' ? 'all namespaces' : `the namespace ${namespace}`}` : '';
      return `${kind}${name === '' ? '' : ` ${name}`}${place}`;
    });
    const scope = namespaced && namespace !== '' ? { namespace } : {};
    if (name === '') {
      const items = await cluster.list({ apiVersion, kind, ...scope }, signal);
      return { apiVersion, kind: `${kind}List`, metadata: {}, items };
    }
    if (namespaced && namespace === '') return {};
    return (await cluster.get({ apiVersion, kind, name, ...scope }, signal)) ?? {};
  };
}

/** Throws `denied_by_policy` or `forbidden` if templates may not see an object. */
function requireVisible(
  { policy, lookup = 'all' }: Pick<OperationContext, 'policy' | 'lookup'>,
  isOther: boolean,
  target: () => string,
): void {
  policy?.requireLookup(isOther, target);
  if (policy?.lookup !== undefined) return;
  if (lookup === 'none' || (lookup === 'release' && isOther)) {
    const seen = lookup === 'none' ? 'may not look up objects' : 'may look up objects of the namespace of its release';
    const solution = 'the owner of the cluster can allow more with --lookup all, or by the field lookup of a policy';
    throw new OperationError('forbidden', `a chart ${seen}, and not ${target()}; ${solution}`);
  }
}

/** Returns the function that resolves host names for templates, if a request allows that. */
export function hostLookup(
  { resolveHost = () => Promise.resolve([]) }: Pick<OperationContext, 'resolveHost'>,
  { enableDns = false }: { enableDns?: boolean },
  signal: AbortSignal,
): ResolveHost | undefined {
  return enableDns ? (name) => resolveHost(name, signal) : undefined;
}
