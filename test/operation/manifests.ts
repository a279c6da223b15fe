/** A ConfigMap with one entry. */
export function configMap(name: string, value = '1', annotations: Record<string, string> = {}): string {
  return yaml({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations }, data: { value } });
}

export interface WorkloadOptions {
  replicas?: number;
  image?: string;
  args?: string[];
  /** How its pods behave in the sandbox. */
  behaviour?: string;
  annotations?: Record<string, string>;
}

/** A Deployment with a readiness probe. */
export function deployment(name: string, options: WorkloadOptions = {}): string {
  const { replicas = 1, image = 'localhost/app:1', args = ['serve'], behaviour, annotations } = options;
  const podAnnotations = behaviour === undefined ? {} : { 'sandbox.helm-agent/behaviour': behaviour };
  const probe = { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 1 };
  return yaml({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, annotations },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name }, annotations: podAnnotations },
        spec: { containers: [{ name: 'app', image, args, readinessProbe: probe }] },
      },
    },
  });
}

/** A Job that is tried once. */
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

/** The annotations of a hook. */
export function hook(events: string, rest: { weight?: number; policy?: string } = {}): Record<string, string> {
  return {
    'helm.sh/hook': events,
    ...(rest.weight !== undefined && { 'helm.sh/hook-weight': String(rest.weight) }),
    ...(rest.policy !== undefined && { 'helm.sh/hook-delete-policy': rest.policy }),
  };
}

/** JSON is YAML. */
function yaml(object: unknown): string {
  return `${JSON.stringify(object)}\n`;
}
