import type { KubeObject } from '../../objects/object.ts';
import type { ClusterState } from './cluster-state.ts';

/** Objects of every new cluster. */
const objects: KubeObject[] = [
  ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  })),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, targetPort: 6443 }] },
  },
  {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'sandbox', labels: { 'kubernetes.io/hostname': 'sandbox', 'kubernetes.io/os': 'linux' } },
    spec: {},
  },
];

/** Creates the objects of every new cluster. */
export function bootstrap(state: ClusterState): void {
  for (const object of objects) {
    const type = state.registry.byKind(object.apiVersion, object.kind);
    if (type) state.objects.create(type, object.metadata.namespace ?? '', object);
  }
}
