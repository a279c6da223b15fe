import type { KubeObject } from '../../objects/object.ts';
import { createObjectApi, type ObjectApi } from '../api/object-api.ts';
import { createRegistry, type Registry } from './registry.ts';
import type { SandboxHost } from '../sandbox-host.ts';
import { createAllocator } from '../admission/service-addresses.ts';
import { createStore, type Store } from './store.ts';

/** All that the handlers of requests and the controllers share. */
export interface ClusterState {
  host: SandboxHost;
  store: Store;
  registry: Registry;
  objects: ObjectApi;
}

export function createClusterState(host: SandboxHost, historyLimit: number): ClusterState {
  const store = createStore(historyLimit);
  const registry = createRegistry((): KubeObject[] => store.list('apiextensions.k8s.io/customresourcedefinitions'));
  return { host, store, registry, objects: createObjectApi(store, host, createAllocator()) };
}
