import type { KubeObject } from '../../objects/object.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { collectionOf, type ResourceType } from '../store/resource-type.ts';
import { type Controller, itself } from './controller.ts';

/**
 * Creates the default service account and the certificate authority of each namespace. Empties a
 * namespace that is being deleted, and then removes it.
 */
export function namespaceController(ca: string): Controller {
  return {
    name: 'namespace',
    watches: { '/namespaces': itself },
    reconcile({ name }, tools) {
      const namespace = tools.store.get('/namespaces', '', name);
      if (!namespace) return;
      if (namespace.metadata.deletionTimestamp === undefined) {
        createDefaultObjects(tools, name, ca);
        return;
      }
      const left = deleteContents(tools, name);
      if (left > 0) tools.requeueAfter(emptyingInterval);
      else if ((namespace.metadata.finalizers ?? []).length === 0) tools.store.remove('/namespaces', '', name);
    },
  };
}

/** Time between two looks at a namespace that is being deleted, in simulated milliseconds. */
const emptyingInterval = 100;

function createDefaultObjects(state: ClusterState, namespace: string, ca: string): void {
  const meta = { name: 'default', namespace };
  createIfAbsent(state, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta });
  createIfAbsent(state, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kube-root-ca.crt', namespace },
    data: { 'ca.crt': ca },
  });
}

function createIfAbsent(state: ClusterState, object: KubeObject): void {
  const type = state.registry.byKind(object.apiVersion, object.kind);
  const { name, namespace = '' } = object.metadata;
  if (type && !state.objects.find(type, namespace, name)) state.objects.create(type, namespace, object);
}

/** Deletes the objects in a namespace. Returns the number of those that are still terminating. */
function deleteContents(state: ClusterState, namespace: string): number {
  const types = new Map(state.registry.types().map((type): [string, ResourceType] => [collectionOf(type), type]));
  let left = 0;
  for (const [collection, type] of types) {
    if (!type.namespaced) continue;
    for (const object of state.store.list(collection, namespace)) {
      if (object.metadata.deletionTimestamp !== undefined) left++;
      else if (!state.objects.remove(type, namespace, object.metadata.name, { propagationPolicy: 'Background' }).gone)
        left++;
    }
  }
  return left;
}
