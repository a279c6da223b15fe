import { fieldAt, isJsonObject, type JsonObject, stringAt } from '../../objects/fields.ts';
import { labelRequirements, matchesLabels } from '../../objects/label-selector.ts';
import type { KubeObject, OwnerReference } from '../../objects/object.ts';
import { notFound } from '../api-error.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { conditionsOf } from '../cluster/conditions.ts';
import type { ResourceType } from '../store/resource-type.ts';
import type { ObjectKey } from './controller.ts';

/** Returns the type of a built-in kind. */
export function typeOf(state: ClusterState, apiVersion: string, kind: string): ResourceType {
  const type = state.registry.byKind(apiVersion, kind);
  if (!type) throw notFound({ group: '', plural: kind, kind, name: kind });
  return type;
}

/** Returns the object, or undefined if it is gone or being deleted. */
export function liveObject(
  state: ClusterState,
  collection: string,
  { namespace, name }: ObjectKey,
): KubeObject | undefined {
  const object = state.store.get(collection, namespace, name);
  return object?.metadata.deletionTimestamp === undefined ? object : undefined;
}

export function keyOf(object: KubeObject): ObjectKey {
  return { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}

export function controllerReference(owner: KubeObject): OwnerReference {
  const { name, uid = '' } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Returns the objects of a collection that `owner` controls, in the order of their last change. */
export function controlledBy(state: ClusterState, owner: KubeObject, collection: string): KubeObject[] {
  return state.store
    .list(collection, owner.metadata.namespace)
    .filter((object) =>
      object.metadata.ownerReferences?.some((ref) => ref.controller && ref.uid === owner.metadata.uid),
    )
    .sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
}

/** Writes the status if it has changed. */
export function writeStatus(state: ClusterState, object: KubeObject, status: JsonObject): void {
  const type = typeOf(state, object.apiVersion, object.kind);
  const { namespace, name } = keyOf(object);
  state.objects.update(type, namespace, name, (current) => ({ ...current, status }), { subresource: 'status' });
}

export function isPodReady(pod: KubeObject): boolean {
  return conditionsOf(pod).some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** Whether a pod has neither ended nor is being deleted. */
export function isPodActive(pod: KubeObject): boolean {
  const phase = stringAt(pod, 'status', 'phase');
  return phase !== 'Succeeded' && phase !== 'Failed' && pod.metadata.deletionTimestamp === undefined;
}

/** Whether the selector of a workload matches an object. */
export function selects(owner: KubeObject, object: KubeObject): boolean {
  const selector = fieldAt(owner, 'spec', 'selector');
  return isJsonObject(selector) && matchesLabels(labelRequirements(selector), object.metadata.labels);
}

/** Resolves a number, or a percentage of `total`. */
export function intOrPercent(value: unknown, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' ? Number.parseFloat(value) : 0;
  const exact = (percent * total) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}

export const pods = '/pods';
