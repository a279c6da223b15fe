import type { KubeObject } from '../../objects/object.ts';
import { createObjectApi, type ObjectApi } from './object-api.ts';
import { createRegistry, type Registry } from '../store/registry.ts';
import type { SandboxHost } from '../sandbox-host.ts';
import { createServiceAllocator } from './service-allocator.ts';
import { createStore, type Store } from '../store/store.ts';

/** State that the request handlers and the controllers share. */
export interface ClusterState {
  host: SandboxHost;
  store: Store;
  registry: Registry;
  objects: ObjectApi;
}

export function createClusterState(host: SandboxHost, historyLimit: number): ClusterState {
  const store = createStore(historyLimit);
  const registry = createRegistry((): KubeObject[] => store.list('apiextensions.k8s.io/customresourcedefinitions'));
  return { host, store, registry, objects: createObjectApi(store, host, createServiceAllocator()) };
}
