/** A chart, and what becomes of its installation. */
export interface VerdictCase {
  name: string;
  title: string;
  /** Returns the text of the chart's template. `registry` is the address of a test registry. */
  manifest: (registry: string) => string;
  /** The release's status, or the code of the error. */
  outcome: 'deployed' | 'not_ready' | 'timeout';
  /** The code of the problem with which the wait ends. */
  problem?: string;
  /** Whether the wait must end long before its time limit. */
  isEarly?: boolean;
}

interface Workload {
  kind?: string;
  image?: string;
  args?: string[];
  container?: object;
  pod?: object;
  spec?: object;
}

const probe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 1, failureThreshold: 1 };

/** Returns a workload as JSON, which is YAML. */
function workload({
  kind = 'Deployment',
  image = 'localhost/app:1',
  args = [],
  container,
  pod,
  spec,
}: Workload): string {
  const labels = { app: 'web' };
  const isJob = kind === 'Job';
  const containers = [{ name: 'app', image, args, ...container }];
  const template = {
    ...(!isJob && { metadata: { labels } }),
    spec: { terminationGracePeriodSeconds: 0, containers, ...(isJob && { restartPolicy: 'Never' }), ...pod },
  };
  return JSON.stringify({
    apiVersion: isJob ? 'batch/v1' : 'apps/v1',
    kind,
    metadata: { name: 'web' },
    spec: {
      ...(!isJob && { selector: { matchLabels: labels } }),
      ...(kind === 'StatefulSet' && { serviceName: 'web' }),
      template,
      ...spec,
    },
  });
}

const quota = JSON.stringify({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'none' },
  spec: { hard: { pods: '0' } },
});

const gone = { fatal: { outcome: 'not_ready', isEarly: true }, ready: { outcome: 'deployed' } } as const;

/** The time limit of each installation is 60 s. */
export const verdictCases: readonly VerdictCase[] = [
  {
    ...{ name: 'bad-image', title: 'an image that the registry does not have', ...gone.fatal },
    manifest: (registry) => workload({ image: `${registry}/missing:1` }),
    problem: 'image_not_found',
  },
  {
    ...{ name: 'bad-image-daemon', title: 'the same in a DaemonSet', ...gone.fatal },
    manifest: (registry) => workload({ kind: 'DaemonSet', image: `${registry}/missing:1` }),
    problem: 'image_not_found',
  },
  {
    ...{ name: 'busy-registry', title: 'a registry that responds with 429', outcome: 'timeout' },
    manifest: (registry) => workload({ image: `${registry}/busy:1` }),
    problem: 'registry_unavailable',
  },
  {
    ...{ name: 'missing-key', title: 'a key that a ConfigMap does not have', ...gone.fatal },
    manifest: () =>
      workload({
        container: {
          env: [{ name: 'MODE', valueFrom: { configMapKeyRef: { name: 'kube-root-ca.crt', key: 'mode' } } }],
        },
      }),
    problem: 'config_error',
  },
  {
    ...{ name: 'quota', title: 'a quota without room for pods', ...gone.fatal },
    manifest: () => `${quota}\n---\n${workload({})}`,
    problem: 'quota_exceeded',
  },
  {
    ...{ name: 'failing-job', title: 'a Job that fails', ...gone.fatal },
    manifest: () => workload({ kind: 'Job', args: ['fail'], spec: { backoffLimit: 0 } }),
    problem: 'job_failed',
  },
  {
    ...{ name: 'crash-probe', title: 'a crash loop behind a probe', outcome: 'not_ready', isEarly: true },
    manifest: () => workload({ args: ['fail', '-after', '1s'], container: { readinessProbe: probe } }),
    problem: 'crash_loop',
  },
  {
    ...{ name: 'crash', title: 'a crash loop without a probe, of runs of 2 s', outcome: 'not_ready', isEarly: true },
    manifest: () => workload({ args: ['fail', '-after', '2s'] }),
    problem: 'crash_loop',
  },
  {
    ...{ name: 'init', title: 'an init container that fails', outcome: 'not_ready', isEarly: true },
    manifest: () =>
      workload({ pod: { initContainers: [{ name: 'first', image: 'localhost/app:1', args: ['fail'] }] } }),
    problem: 'crash_loop',
  },
  {
    ...{ name: 'unschedulable', title: 'a pod that fits no node', outcome: 'not_ready', isEarly: true },
    manifest: () => workload({ container: { resources: { requests: { cpu: '900' } } } }),
    problem: 'unschedulable',
  },
  {
    ...{ name: 'probe', title: 'a readiness probe that fails', outcome: 'timeout' },
    manifest: () => workload({ container: { readinessProbe: { ...probe, httpGet: { path: '/', port: 9 } } } }),
    problem: 'probe_failed',
  },
  {
    ...{ name: 'slow', title: 'a start that takes 20 s', ...gone.ready },
    manifest: () => workload({ args: ['serve', '-after', '20s'], container: { readinessProbe: probe } }),
  },
  {
    ...{ name: 'job-ttl', title: 'a Job that is deleted as soon as it has completed', ...gone.ready },
    manifest: () => workload({ kind: 'Job', args: ['sleep', '2s'], spec: { ttlSecondsAfterFinished: 0 } }),
  },
  {
    ...{ name: 'paused', title: 'a paused Deployment', ...gone.ready },
    manifest: () => workload({ spec: { paused: true } }),
  },
  {
    ...{ name: 'daemon', title: 'a DaemonSet', ...gone.ready },
    manifest: () => workload({ kind: 'DaemonSet', container: { readinessProbe: probe } }),
  },
];

/** The revisions of a StatefulSet: one that crashes, and its correction. */
export const statefulSets = {
  crashing: workload({ kind: 'StatefulSet', args: ['fail'], spec: { podManagementPolicy: 'Parallel' } }),
  fixed: workload({
    kind: 'StatefulSet',
    container: { readinessProbe: probe },
    spec: { podManagementPolicy: 'Parallel' },
  }),
};
