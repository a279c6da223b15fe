/**
 * The resources of Kubernetes that have namespaces, by API group, each with its short names. The
 * scope of other kinds is known to their cluster alone.
 */
const resources: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  '': {
    configmap: ['configmaps', 'cm'],
    endpoints: ['ep'],
    event: ['events', 'ev'],
    limitrange: ['limitranges', 'limits'],
    persistentvolumeclaim: ['persistentvolumeclaims', 'pvc'],
    pod: ['pods', 'po'],
    replicationcontroller: ['replicationcontrollers', 'rc'],
    resourcequota: ['resourcequotas', 'quota'],
    secret: ['secrets'],
    serviceaccount: ['serviceaccounts', 'sa'],
    service: ['services', 'svc'],
  },
  apps: {
    controllerrevision: ['controllerrevisions'],
    daemonset: ['daemonsets', 'ds'],
    deployment: ['deployments', 'deploy'],
    replicaset: ['replicasets', 'rs'],
    statefulset: ['statefulsets', 'sts'],
  },
  autoscaling: { horizontalpodautoscaler: ['horizontalpodautoscalers', 'hpa'] },
  batch: { cronjob: ['cronjobs', 'cj'], job: ['jobs'] },
  'coordination.k8s.io': { lease: ['leases'] },
  'discovery.k8s.io': { endpointslice: ['endpointslices'] },
  'networking.k8s.io': { ingress: ['ingresses', 'ing'], networkpolicy: ['networkpolicies', 'netpol'] },
  policy: { poddisruptionbudget: ['poddisruptionbudgets', 'pdb'] },
  'rbac.authorization.k8s.io': { role: ['roles'], rolebinding: ['rolebindings'] },
};

const groups: ReadonlyMap<string, string> = new Map(
  Object.entries(resources).flatMap(([group, kinds]) =>
    Object.entries(kinds).flatMap(([kind, names]) => [kind, ...names].map((name) => [name, group] as const)),
  ),
);

/**
 * Whether a kind, as `kubectl` takes it, surely has namespaces: `Deployment`, `deploy`,
 * `deployments.apps`.
 */
export function isNamespacedKind(kind: string, apiVersion: unknown): boolean {
  const [, name = '', suffix] = /^([^.]+)(?:\.(.+))?$/.exec(kind.toLowerCase()) ?? [];
  const group = groups.get(name);
  if (group === undefined || (suffix !== undefined && suffix !== group)) return false;
  return apiVersion === undefined || apiVersion === '' || groupOf(apiVersion) === group;
}

function groupOf(apiVersion: unknown): string | undefined {
  if (typeof apiVersion !== 'string') return undefined;
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? '' : group;
}
