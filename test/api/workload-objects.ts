import type { KubeObject } from '../../src/objects/object.ts';

/**
 * Image that serves on port 8080 by default, and accepts arguments such as `sleep 1s` and `fail`.
 */
const image = 'localhost/app:1';

/**
 * Returns a Deployment with one pod of the test image, which is ready when it responds on port
 * 8080. `container` overrides fields of the container.
 */
export function deployment(namespace: string, name: string, container: Record<string, unknown> = {}): KubeObject {
  const labels = { app: name };
  const ready = { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 };
  const containers = [{ name: 'app', image, readinessProbe: ready, ...container }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { terminationGracePeriodSeconds: 0, containers } },
    },
  };
}

/**
 * Returns a Job with one pod that runs the test image with these arguments, and without retries.
 */
export function job(namespace: string, name: string, args: string[]): KubeObject {
  const spec = { restartPolicy: 'Never', containers: [{ name: 'app', image, args }] };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace },
    spec: { backoffLimit: 0, template: { spec } },
  };
}
