import type { KubeObject, ObjectRef } from '../../../src/objects/object.ts';
import type { Intervention } from './scenario.ts';

type Metadata = Partial<Record<'labels' | 'annotations', Record<string, string>>> & { namespace?: string };

/** Returns a manifest as JSON, which is YAML, too. */
export function manifest(apiVersion: string, kind: string, name: string, rest: object = {}): string {
  const { metadata = {}, ...fields } = rest as { metadata?: object };
  return `${JSON.stringify({ apiVersion, kind, metadata: { name, ...metadata }, ...fields })}\n`;
}

/** Returns the documents as one text. */
export function documents(...texts: string[]): string {
  return texts.join('---\n');
}

export function configMap(name: string, data: Record<string, string> = {}, metadata: Metadata = {}): string {
  return manifest('v1', 'ConfigMap', name, { metadata, data });
}

/** Returns a ConfigMap that is a hook. */
export function hookMap(name: string, events: string, { weight, policy }: { weight?: number; policy?: string } = {}) {
  return configMap(name, {}, { annotations: hookAnnotations(events, weight, policy) });
}

/** Returns a Job that is a hook. */
export function hookJob(
  name: string,
  events: string,
  { weight, policy, args = ['sleep', '100ms'] }: { weight?: number; policy?: string; args?: string[] } = {},
): string {
  const spec = { backoffLimit: 0, template: { spec: podSpec(args) } };
  return manifest('batch/v1', 'Job', name, {
    metadata: { annotations: hookAnnotations(events, weight, policy) },
    spec,
  });
}

function hookAnnotations(events: string, weight?: number, policy?: string): Record<string, string> {
  return {
    'helm.sh/hook': events,
    ...(weight !== undefined && { 'helm.sh/hook-weight': String(weight) }),
    ...(policy !== undefined && { 'helm.sh/hook-delete-policy': policy }),
  };
}

function podSpec(args: string[]) {
  const container = { name: 'main', image: 'localhost/app:1', imagePullPolicy: 'IfNotPresent', args };
  return { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [container] };
}

/** Returns a Deployment without pods. Fields of its only container and of its spec can be given. */
export function deployment(
  name: string,
  { container = {}, ...spec }: { container?: object; [field: string]: unknown } = {},
) {
  const labels = { app: name };
  return manifest('apps/v1', 'Deployment', name, {
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'main', image: 'localhost/app:1', ...container }] },
      },
      ...spec,
    },
  });
}

export function service(name: string, spec: object = {}): string {
  return manifest('v1', 'Service', name, {
    spec: { selector: { app: name }, ports: [{ port: 80, name: 'http' }], ...spec },
  });
}

type Ref = Omit<ObjectRef, 'namespace'>;
export const mapRef = (name: string): Ref => ({ apiVersion: 'v1', kind: 'ConfigMap', name });
export const deploymentRef = (name: string): Ref => ({ apiVersion: 'apps/v1', kind: 'Deployment', name });

/** Changes fields as `kubectl edit` does. */
export const edit =
  (ref: Ref, patch: object, fieldManager = 'kubectl-edit'): Intervention =>
  ({ cluster, namespace }) =>
    cluster.mergePatch({ ...ref, namespace }, patch, { fieldManager });

/** Changes elements of lists as `kubectl edit` does. */
export const editLists =
  (ref: Ref, patch: object): Intervention =>
  ({ cluster, namespace }) =>
    cluster.strategicMergePatch({ ...ref, namespace }, patch, { fieldManager: 'kubectl-edit' });

/** Applies fields server-side as another manager. */
export const applyAs =
  (fieldManager: string, ref: Ref, fields: object): Intervention =>
  ({ cluster, namespace }) => {
    const { apiVersion, kind, name } = ref;
    return cluster.apply({ apiVersion, kind, metadata: { name, namespace }, ...fields }, { fieldManager, force: true });
  };

/** Deletes an object. */
export const remove =
  (ref: Ref): Intervention =>
  ({ cluster, namespace }) =>
    cluster.delete({ ...ref, namespace });

export const createNamespace: Intervention = ({ cluster, namespace }) =>
  cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });

/** Creates an object as `kubectl create` does. `NAMESPACE` means the namespace of the side. */
export const create =
  (text: string, fieldManager = 'kubectl-create'): Intervention =>
  ({ cluster, namespace }) => {
    const object = JSON.parse(text.replaceAll('NAMESPACE', namespace)) as KubeObject; // made by manifest
    return cluster.create({ ...object, metadata: { namespace, ...object.metadata } }, { fieldManager });
  };

/** Metadata of an object of a release in the namespace. */
export const owned = (release = 'site', namespace = 'NAMESPACE') => ({
  labels: { 'app.kubernetes.io/managed-by': 'Helm' },
  annotations: { 'meta.helm.sh/release-name': release, 'meta.helm.sh/release-namespace': namespace },
});
