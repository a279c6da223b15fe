import { createHash } from 'node:crypto';
import type { KubeObject, OwnerReference } from '../../objects/object.ts';
import { labelRequirements, matchesLabels } from '../../objects/label-selector.ts';
import { notFound } from '../api-error.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { isJsonObject, objectAt, objectsAt, stringAt, fieldAt, type JsonObject } from '../../objects/fields.ts';
import type { ResourceType } from '../store/resource-type.ts';
import { timestamp } from '../sandbox-host.ts';
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

export interface Condition extends JsonObject {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export function conditionsOf(object: KubeObject): Condition[] {
  // Written by the sandbox, or by a client in place of a controller.
  return objectsAt(object, 'status', 'conditions') as Condition[];
}

/**
 * Returns the conditions with some of them replaced. `lastTransitionTime` changes only if the
 * status does.
 */
export function withConditions(state: ClusterState, before: readonly Condition[], ...set: Condition[]): Condition[] {
  const now = timestamp(state.host);
  const changed = set.map((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    const same = old?.status === condition.status;
    return { ...condition, lastTransitionTime: same ? (old.lastTransitionTime ?? now) : now };
  });
  const kept = before.filter(({ type }) => !set.some((condition) => condition.type === type));
  return [...kept, ...changed];
}

/** Returns a pod from the template of `owner`. */
export function podFromTemplate(
  owner: KubeObject,
  name: { name: string } | { generateName: string },
  labels: Record<string, string> = {},
): KubeObject {
  const template = objectAt(owner, 'spec', 'template');
  const metadata = structuredClone(objectAt(template, 'metadata'));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: '',
      ...name,
      namespace: owner.metadata.namespace ?? '',
      // Validated when the owner was written.
      labels: { ...(metadata['labels'] as Record<string, string> | undefined), ...labels },
      // Validated, too.
      ...(isJsonObject(metadata['annotations']) && { annotations: metadata['annotations'] as Record<string, string> }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: structuredClone(objectAt(template, 'spec')),
  };
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

/** Returns a short hash of a template, for use in names. */
export function templateHash(template: unknown): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  const digest = createHash('sha256').update(stableJson(template)).digest();
  return Array.from(digest.subarray(0, 10), (byte) => alphabet[byte % alphabet.length]).join('');
}

/** Returns JSON with its fields sorted by name. */
export function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const fields = Object.keys(value)
    .sort()
    .filter((field) => value[field] !== undefined);
  return `{${fields.map((field) => `${JSON.stringify(field)}:${stableJson(value[field])}`).join(',')}}`;
}

/** Resolves a number, or a percentage of `total`. */
export function intOrPercent(value: unknown, total: number, round: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' ? Number.parseFloat(value) : 0;
  const exact = (percent * total) / 100;
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact);
}

export const pods = '/pods';
