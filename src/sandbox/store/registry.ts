import type { KubeObject } from '../../objects/object.ts';
import { builtinResources } from './builtin-resources.ts';
import { customResourceTypes } from './custom-resources.ts';
import { apiVersionOf, collectionOf, type ResourceType } from './resource-type.ts';

/** Which kinds exist: the built-in ones, and those of the CustomResourceDefinitions that there are. */
export interface Registry {
  types(): readonly ResourceType[];
  /** By group version and plural, as in a URL. */
  byPlural(group: string, version: string, plural: string): ResourceType | undefined;
  byKind(apiVersion: string, kind: string): ResourceType | undefined;
  /** Any version of what is kept in a collection of the store. */
  byCollection(collection: string): ResourceType | undefined;
}

/** `definitions` answers the CustomResourceDefinitions of the moment. */
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
