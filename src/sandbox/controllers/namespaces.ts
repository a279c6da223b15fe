import type { KubeObject } from '../../objects/object.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { collectionOf, type ResourceType } from '../store/resource-type.ts';
import { itself, type Controller } from './controller.ts';

/** Gives each namespace its default service account and the cluster's authority; empties one that is deleted, and then lets it go. */
export function namespaceController(ca: string): Controller {
  return {
    name: 'namespace',
    watches: { '/namespaces': itself },
    reconcile({ name }, tools) {
      const namespace = tools.store.get('/namespaces', '', name);
      if (!namespace) return;
      if (namespace.metadata.deletionTimestamp === undefined) {
        furnish(tools, name, ca);
        return;
      }
      const left = deleteContents(tools, name);
      if (left > 0) tools.again(emptyingInterval);
      else if ((namespace.metadata.finalizers ?? []).length === 0) tools.store.remove('/namespaces', '', name);
    },
  };
}

/** How often a namespace that is being deleted is looked at; milliseconds. */
const emptyingInterval = 100;

function furnish(state: ClusterState, namespace: string, ca: string): void {
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

/** Deletes what is in a namespace; answers how much is still there. */
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
