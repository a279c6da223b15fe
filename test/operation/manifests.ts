/** Returns a ConfigMap with one entry. */
export function configMap(name: string, value = '1', annotations: Record<string, string> = {}): string {
  return yaml({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations }, data: { value } });
}

export interface WorkloadOptions {
  replicas?: number;
  image?: string;
  args?: string[];
  /** Behaviour of its pods in the sandbox. */
  behaviour?: string;
  annotations?: Record<string, string>;
  hasProbe?: boolean;
}

/** Returns a Deployment, by default with a readiness probe. */
export function deployment(name: string, options: WorkloadOptions = {}): string {
  const {
    replicas = 1,
    image = 'localhost/app:1',
    args = ['serve'],
    behaviour,
    annotations,
    hasProbe = true,
  } = options;
  const podAnnotations = behaviour === undefined ? {} : { 'sandbox.helm-agent/behaviour': behaviour };
  const readinessProbe = { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 1 };
  return yaml({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, annotations },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name }, annotations: podAnnotations },
        spec: { containers: [{ name: 'app', image, args, ...(hasProbe && { readinessProbe }) }] },
      },
    },
  });
}

/** Returns a Job without retries. */
export function job(name: string, options: WorkloadOptions = {}): string {
  const { image = 'localhost/app:1', args = ['sleep', '1s'], annotations } = options;
  const container = { name: 'main', image, args };
  return yaml({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, annotations },
    spec: { backoffLimit: 0, template: { spec: { restartPolicy: 'Never', containers: [container] } } },
  });
}

/** Returns the annotations of a hook. */
export function hook(events: string, rest: { weight?: number; policy?: string } = {}): Record<string, string> {
  return {
    'helm.sh/hook': events,
    ...(rest.weight !== undefined && { 'helm.sh/hook-weight': String(rest.weight) }),
    ...(rest.policy !== undefined && { 'helm.sh/hook-delete-policy': rest.policy }),
  };
}

/** Returns the CRD of a namespaced kind: `Gadget` for `gadget`. */
export function crd(singular: string): string {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const kind = singular.charAt(0).toUpperCase() + singular.slice(1);
  return yaml({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.e.io` },
    spec: {
      group: 'e.io',
      scope: 'Namespaced',
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
}

/** Returns an object as JSON, which is YAML too. */
function yaml(object: unknown): string {
  return `${JSON.stringify(object)}\n`;
}
