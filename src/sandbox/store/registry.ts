import type { KubeObject } from '../../objects/object.ts';
import { builtinResources } from './builtin-resources.ts';
import { customResourceTypes } from './custom-resources.ts';
import { apiVersionOf, collectionOf, type ResourceType } from './resource-type.ts';

/** The kinds that the API serves: the built-in ones and those of the CustomResourceDefinitions. */
export interface Registry {
  types(): readonly ResourceType[];
  /** Finds a kind by the parts of its URL. */
  byPlural(group: string, version: string, plural: string): ResourceType | undefined;
  byKind(apiVersion: string, kind: string): ResourceType | undefined;
  /** Finds any version of the kind that is stored in a collection. */
  byCollection(collection: string): ResourceType | undefined;
}

/** `definitions` returns the current CustomResourceDefinitions. */
export function createRegistry(definitions: () => readonly KubeObject[]): Registry {
  const types = (): readonly ResourceType[] => [...builtinResources, ...definitions().flatMap(customResourceTypes)];
  return {
    types,
    byPlural: (group, version, plural) =>
      types().find((type) => type.plural === plural && type.group === group && type.version === version),
    byKind: (apiVersion, kind) => types().find((type) => type.kind === kind && apiVersionOf(type) === apiVersion),
    byCollection: (collection) => types().find((type) => collectionOf(type) === collection),
  };
}
