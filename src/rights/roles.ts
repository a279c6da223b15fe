import type { KubeObject } from '../objects/object.ts';
import { accountParts, type ServiceAccount } from '../objects/service-account.ts';
import type { CommandDefinition } from '../protocol/commands/definition.ts';
import { commands } from '../protocol/commands/index.ts';

/** A resource as roles name it. */
export interface RoleResource {
  /** Empty for the core group. */
  group: string;
  /** Such as `deployments`. */
  resource: string;
  namespaced: boolean;
}

export interface AccountRoles {
  /** The account that performs commands. Its releases are in its namespace. */
  account: ServiceAccount;
  /** The account of the agent, which impersonates it. */
  agent: ServiceAccount;
  /** The resources of the charts. Default: those of common charts for one namespace. */
  resources?: readonly RoleResource[] | undefined;
  /**
   * Types of commands, or the rights that they need, for which the account gets rights besides
   * those to releases. Default: none.
   */
  commands?: readonly string[] | undefined;
  /** Whether the account may do this in all namespaces, and create them. Default: false. */
  wholeCluster?: boolean;
}

interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
  resourceNames?: string[];
}

const read = ['get', 'list', 'watch'];
const change = [...read, 'create', 'update', 'patch', 'delete'];
const rbac = 'rbac.authorization.k8s.io';

/** The rights that operations on releases need besides those to the objects of charts. */
const releaseRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['secrets'], verbs: change },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
  { apiGroups: [''], resources: ['pods', 'events'], verbs: read },
  { apiGroups: [''], resources: ['pods/log'], verbs: ['get'] },
  { apiGroups: ['apps'], resources: ['replicasets'], verbs: read },
  { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: read },
];

const commonResources: Readonly<Record<string, readonly string[]>> = {
  '': ['configmaps', 'services', 'serviceaccounts', 'persistentvolumeclaims', 'pods'],
  apps: ['deployments', 'statefulsets', 'daemonsets'],
  batch: ['jobs', 'cronjobs'],
  'networking.k8s.io': ['ingresses', 'networkpolicies'],
  autoscaling: ['horizontalpodautoscalers'],
  policy: ['poddisruptionbudgets'],
};

/**
 * Returns the ServiceAccount, its roles with the least rights for the releases of charts, and the
 * role with which the agent may impersonate it.
 */
export function accountRoles({
  account,
  agent,
  resources,
  commands: names,
  wholeCluster = false,
}: AccountRoles): KubeObject[] {
  const { namespace, name } = accountParts(account);
  const inNamespaces = [
    ...releaseRules,
    ...chartRules(resources?.filter(({ namespaced }) => namespaced)),
    ...commandRules(names),
  ];
  const forCluster = chartRules(resources?.filter(({ namespaced }) => !namespaced) ?? []);
  const creating = { apiGroups: [''], resources: ['namespaces'], verbs: ['create', 'patch'] };
  const rules = wholeCluster ? [...inNamespaces, creating, ...forCluster] : inNamespaces;
  const scope = wholeCluster ? undefined : namespace;
  const roleName = wholeCluster ? `helm-agent:${namespace}:${name}` : `helm-agent-${name}`;
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    ...role(roleName, scope, rules, account),
    ...role(
      `helm-agent-impersonate-${name}`,
      namespace,
      [{ apiGroups: [''], resources: ['serviceaccounts'], resourceNames: [name], verbs: ['impersonate'] }],
      agent,
    ),
  ];
}

function chartRules(resources: readonly RoleResource[] | undefined): PolicyRule[] {
  const byGroup = new Map<string, Set<string>>(
    resources === undefined ? Object.entries(commonResources).map(([group, names]) => [group, new Set(names)]) : [],
  );
  for (const { group, resource } of resources ?? []) {
    byGroup.set(group, (byGroup.get(group) ?? new Set()).add(resource));
  }
  return [...byGroup].map(([group, names]) => ({ apiGroups: [group], resources: [...names].sort(), verbs: change }));
}

/** Returns the rules for the commands with these types or rights, one for each resource. */
function commandRules(names: readonly string[] = []): PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  for (const [type, { right, resourceRights = [] }] of Object.entries<CommandDefinition>(commands)) {
    if (!names.includes(type) && !names.includes(right)) continue;
    for (const { group, resources, verbs } of resourceRights) {
      for (const resource of resources) {
        const before = rules.get(`${resource}.${group}`)?.verbs ?? [];
        const all = [...new Set([...before, ...verbs])];
        rules.set(`${resource}.${group}`, { apiGroups: [group], resources: [resource], verbs: all });
      }
    }
  }
  return [...rules.values()];
}

/** Returns a role and its binding, of the cluster without a namespace. */
function role(
  name: string,
  namespace: string | undefined,
  rules: readonly PolicyRule[],
  account: ServiceAccount,
): KubeObject[] {
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  const prefix = namespace === undefined ? 'Cluster' : '';
  const apiVersion = `${rbac}/v1`;
  return [
    { apiVersion, kind: `${prefix}Role`, metadata, rules },
    {
      apiVersion,
      kind: `${prefix}RoleBinding`,
      metadata,
      roleRef: { apiGroup: rbac, kind: `${prefix}Role`, name },
      subjects: [{ kind: 'ServiceAccount', ...accountParts(account) }],
    },
  ];
}
