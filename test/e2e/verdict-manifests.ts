/** The parts of a workload that differ from the usual ones. */
interface Workload {
  name?: string;
  kind?: string;
  image?: string;
  args?: string[];
  container?: object;
  pod?: object;
  spec?: object;
}

/** A readiness probe that the program of the test image passes. */
export const probe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 1, failureThreshold: 1 };

/** Returns a workload as JSON, which is YAML. */
export function workload({
  name = 'web',
  kind = 'Deployment',
  image = 'localhost/app:1',
  args = [],
  container,
  pod,
  spec,
}: Workload): string {
  const labels = { app: name };
  const isJob = kind === 'Job';
  const containers = [{ name: 'app', image, args, ...container }];
  const template = {
    ...(!isJob && { metadata: { labels } }),
    spec: { terminationGracePeriodSeconds: 0, containers, ...(isJob && { restartPolicy: 'Never' }), ...pod },
  };
  return JSON.stringify({
    apiVersion: isJob ? 'batch/v1' : 'apps/v1',
    kind,
    metadata: { name },
    spec: {
      ...(!isJob && { selector: { matchLabels: labels } }),
      ...(kind === 'StatefulSet' && { serviceName: name }),
      template,
      ...spec,
    },
  });
}

/** A program that fails until a ConfigMap lets it run, as one that cannot reach its database. */
export const fickle = [
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mode' }, data: { mode: 'fail' } }),
  workload({
    args: ['$(MODE)', '-after', '1s'],
    container: {
      env: [{ name: 'MODE', valueFrom: { configMapKeyRef: { name: 'mode', key: 'mode' } } }],
      readinessProbe: probe,
    },
  }),
].join('\n---\n');

export const quota = JSON.stringify({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'none' },
  spec: { hard: { pods: '0' } },
});

/** A custom resource that, as those of Flux, is not ready until its controller has seen it. */
export const widget = JSON.stringify({
  apiVersion: 'verdicts.helm-agent.example/v1',
  kind: 'Widget',
  metadata: { name: 'web' },
});

/** The definition of {@link widget}, and of `Plain`, which has no status. */
export const widgetDefinitions = ['Widget', 'Plain'].map((kind) => {
  const name = kind.toLowerCase();
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const status = { ...anything, ...(kind === 'Widget' && { default: { observedGeneration: -1 } }) };
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${name}s.verdicts.helm-agent.example` },
    spec: {
      group: 'verdicts.helm-agent.example',
      scope: 'Namespaced',
      names: { kind, plural: `${name}s`, singular: name },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status } } },
        },
      ],
    },
  });
});

/** The same as references. */
export const definitionRefs = ['widgets', 'plains'].map((name) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  name: `${name}.verdicts.helm-agent.example`,
}));

const host = (path: string) => ({ name: path.slice(1), hostPath: { path } });
const hostFolders = ['/usr', '/lib', '/lib64'];

/** A program that allocates memory without end: `tail` of the node, which must have one. */
export const memoryHog = workload({
  container: {
    command: ['/usr/bin/tail', '/dev/zero'],
    resources: { limits: { memory: '32Mi' } },
    volumeMounts: hostFolders.map((path) => ({ name: path.slice(1), mountPath: path, readOnly: true })),
  },
  pod: { volumes: hostFolders.map(host) },
});

/** An autoscaler that wants three pods. */
export const autoscaler = JSON.stringify({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 3,
    maxReplicas: 5,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
  },
});
