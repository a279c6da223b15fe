import type { KubeObject } from '../../objects/object.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { conditionsOf } from '../cluster/conditions.ts';
import { timestamp } from '../sandbox-host.ts';
import type { DefinitionSpec } from '../store/custom-resources.ts';
import { type Controller, itself } from './controller.ts';

const collection = 'apiextensions.k8s.io/customresourcedefinitions';

/** Delay until a new definition is served, in milliseconds. */
const establishingDelay = 100;

/** Establishes CustomResourceDefinitions, and deletes the objects of those that are deleted. */
export const definitionController: Controller = {
  name: 'definition',
  watches: { [collection]: itself },
  reconcile({ name }, tools) {
    const definition = tools.store.get(collection, '', name);
    if (!definition) {
      deleteInstances(tools, name);
      return;
    }
    if (conditionsOf(definition).length > 0) return;
    const type = tools.registry.byKind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
    if (!type) return;
    const age = Number(tools.host.now() / 1_000_000n) - Date.parse(definition.metadata.creationTimestamp ?? '');
    if (age < establishingDelay) {
      tools.requeueAfter(establishingDelay);
      return;
    }
    const change = (current: KubeObject): KubeObject => ({ ...current, status: established(current, tools) });
    tools.objects.update(type, '', name, change, { subresource: 'status' });
  },
};

function established(definition: KubeObject, { host }: ClusterState): unknown {
  const { names, versions } = definition['spec'] as DefinitionSpec; // validated when it was written
  const condition = (type: string, reason: string, message: string): unknown => ({
    type,
    status: 'True',
    lastTransitionTime: timestamp(host),
    reason,
    message,
  });
  return {
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    acceptedNames: names,
    storedVersions: versions.filter((version) => version.storage).map((version) => version.name),
  };
}

/** Deletes the objects of a definition, whose name is `plural.group`. */
function deleteInstances({ store }: ClusterState, name: string): void {
  const dot = name.indexOf('.');
  const objects = `${name.slice(dot + 1)}/${name.slice(0, dot)}`;
  for (const { metadata } of store.list(objects)) store.remove(objects, metadata.namespace ?? '', metadata.name);
}
