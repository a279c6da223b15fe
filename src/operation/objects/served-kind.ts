import type { Cluster } from '../../objects/cluster.ts';
import { groupOf } from '../../objects/group-kind.ts';
import type { ServedKind } from '../../objects/object.ts';
import type { OperationContext } from '../context.ts';
import { OperationError } from '../error.ts';

/** Number of names in an error. */
const maxSuggestions = 10;

/**
 * Returns the kind that a person names: by its kind, plural, singular or short name, in any case,
 * with or without its group (`deployments.apps`). Without a group, a kind of Kubernetes itself
 * precedes one that others have added. Throws `unknown_kind`, `bad_request` if several groups have
 * the kind, and `denied_by_policy` if the command may not read it.
 */
export async function servedKindOf(
  context: Pick<OperationContext, 'policy'> & { cluster: Pick<Cluster, 'servedKinds'> },
  { kind: given, apiVersion }: { kind: string; apiVersion?: string },
  signal: AbortSignal,
): Promise<ServedKind> {
  const kinds = await context.cluster.servedKinds(signal);
  const served = namedKind(kinds, given, apiVersion);
  context.policy?.requireRead(served);
  return served;
}

/**
 * Throws `denied_by_policy` unless the command may read pods, and this part of them, which the
 * policy names as Kubernetes' roles do: `Pod/log`.
 */
export function requirePodRead(
  { policy }: Pick<OperationContext, 'policy'>,
  part: 'log' | 'exec' | 'portforward',
): void {
  for (const kind of ['Pod', `Pod/${part}`]) policy?.requireRead({ apiVersion: 'v1', kind });
}

function namedKind(kinds: readonly ServedKind[], given: string, apiVersion: string | undefined): ServedKind {
  const found = kinds
    .filter((served) => apiVersion === undefined || served.apiVersion === apiVersion)
    .filter((served) => isNamed(served, given.toLowerCase()));
  // the first version of each group is the one that the server prefers
  const byGroup = new Map(found.toReversed().map((served) => [groupOf(served.apiVersion), served]));
  const own = found.find((served) => isBuiltIn(groupOf(served.apiVersion)));
  const [only] = byGroup.values();
  if (own !== undefined) return own;
  if (only === undefined) throw unknownKind(given, apiVersion, kinds);
  if (byGroup.size === 1) return only;
  const names = [...byGroup.values()].map(({ resource, apiVersion: served }) => `${resource}.${groupOf(served)}`);
  throw new OperationError(
    'bad_request',
    `several groups have the kind ${JSON.stringify(given)}; name one of ${names.sort().slice(0, maxSuggestions).join(', ')}`,
  );
}

function isNamed({ apiVersion, kind, resource, aliases }: ServedKind, given: string): boolean {
  const group = groupOf(apiVersion);
  const names = [kind, resource, ...aliases].map((name) => name.toLowerCase());
  return names.some((name) => given === name || (group !== '' && given === `${name}.${group}`));
}

/** Whether a group is one of Kubernetes itself. */
function isBuiltIn(group: string): boolean {
  return !group.includes('.') || (group.endsWith('.k8s.io') && builtInGroups.has(group));
}

const builtInGroups: ReadonlySet<string> = new Set([
  ...(['admissionregistration.k8s.io', 'apiextensions.k8s.io', 'apiregistration.k8s.io'] as const),
  ...(['authentication.k8s.io', 'authorization.k8s.io', 'certificates.k8s.io', 'coordination.k8s.io'] as const),
  ...(['discovery.k8s.io', 'flowcontrol.apiserver.k8s.io', 'networking.k8s.io', 'node.k8s.io'] as const),
  ...(['rbac.authorization.k8s.io', 'resource.k8s.io', 'scheduling.k8s.io', 'storage.k8s.io'] as const),
]);

function unknownKind(given: string, apiVersion: string | undefined, kinds: readonly ServedKind[]): OperationError {
  const inVersion = apiVersion === undefined ? '' : ` in ${apiVersion}`;
  const start = given.toLowerCase().slice(0, 3);
  const near = [...new Set(kinds.filter(({ resource }) => resource.startsWith(start)).map(({ resource }) => resource))];
  const advice =
    near.length > 0
      ? `kinds with a similar name: ${near.slice(0, maxSuggestions).join(', ')}`
      : 'cluster_info lists the kinds';
  return new OperationError(
    'unknown_kind',
    `the cluster does not have the kind ${JSON.stringify(given)}${inVersion}; ${advice}`,
  );
}
