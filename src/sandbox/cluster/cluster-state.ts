import type { KubeObject } from '../../objects/object.ts';
import type { SandboxHost } from '../sandbox-host.ts';
import { builtinResources } from '../store/builtin-resources.ts';
import { customResourceTypes } from '../store/custom-resources.ts';
import { apiVersionOf, collectionOf, type ResourceType } from '../store/resource-type.ts';
import { createStore, type Store } from '../store/store.ts';
import { createObjectApi, type ObjectApi } from './object-api.ts';
import { createServiceAllocator } from './service-allocator.ts';

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

/** The kinds that the API serves: the built-in ones and those of the CustomResourceDefinitions. */
interface Registry {
  types(): readonly ResourceType[];
  /** Finds a kind by the parts of its URL. */
  byPlural(group: string, version: string, plural: string): ResourceType | undefined;
  byKind(apiVersion: string, kind: string): ResourceType | undefined;
  /** Finds any version of the kind that is stored in a collection. */
  byCollection(collection: string): ResourceType | undefined;
}

/** `definitions` returns the current CustomResourceDefinitions. */
function createRegistry(definitions: () => readonly KubeObject[]): Registry {
  const types = (): readonly ResourceType[] => [...builtinResources, ...definitions().flatMap(customResourceTypes)];
  return {
    types,
    byPlural: (group, version, plural) =>
      types().find((type) => type.plural === plural && type.group === group && type.version === version),
    byKind: (apiVersion, kind) => types().find((type) => type.kind === kind && apiVersionOf(type) === apiVersion),
    byCollection: (collection) => types().find((type) => collectionOf(type) === collection),
  };
}
