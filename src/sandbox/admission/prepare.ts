import { isDeepStrictEqual } from 'node:util';
import { objectsAt, removeField } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { newUid, type SandboxHost, timestamp } from '../sandbox-host.ts';
import type { ResourceType } from '../store/resource-type.ts';

/** Sets the fields of a new object that only the server may set. Modifies the object. */
export function prepareForCreate(type: ResourceType, object: KubeObject, host: SandboxHost): void {
  const { metadata } = object;
  metadata.uid = newUid(host);
  metadata.creationTimestamp = timestamp(host);
  delete metadata.resourceVersion;
  delete metadata.generation;
  delete metadata.deletionTimestamp;
  delete metadata['deletionGracePeriodSeconds'];
  delete metadata['selfLink'];
  if (type.hasGeneration) metadata.generation = 1;
  dropEmpty(metadata, ['labels', 'annotations', 'finalizers', 'ownerReferences']);
  if (!type.subresources.includes('status')) return;
  delete object['status'];
  if (!type.custom) Object.assign(object, initialStatus(object));
}

function initialStatus(object: KubeObject): { status?: unknown } {
  switch (object.kind) {
    case 'Namespace':
      return { status: { phase: 'Active' } };
    case 'Pod':
    case 'PersistentVolumeClaim':
    case 'PersistentVolume':
      return { status: { phase: 'Pending' } };
    case 'Service':
      return { status: { loadBalancer: {} } };
    case 'Ingress':
      return { status: { loadBalancer: {} } };
    case 'CustomResourceDefinition':
      return {
        status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: storageVersions(object) },
      };
    case 'Deployment':
    case 'Job':
    case 'CronJob':
      return { status: {} };
    case 'ReplicaSet':
    case 'StatefulSet':
      return { status: { replicas: 0 } };
    case 'DaemonSet':
      return {
        status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
      };
    default:
      return {};
  }
}

function storageVersions(definition: KubeObject): unknown[] {
  return objectsAt(definition, 'spec', 'versions')
    .filter((version) => version['storage'] === true)
    .map((version) => version['name']);
}

/**
 * Restores the fields that an update may not change, and increments the generation. Modifies
 * `next`.
 */
export function prepareForUpdate(
  type: ResourceType,
  current: KubeObject,
  next: KubeObject,
  subresource?: 'status',
): void {
  if (subresource === 'status') {
    for (const field of Object.keys(next)) if (!['metadata', 'status'].includes(field)) removeField(next, field);
    for (const [field, value] of Object.entries(current))
      if (!['metadata', 'status'].includes(field)) next[field] = value;
    next.metadata = { ...structuredClone(current.metadata), ...pick(next.metadata, 'managedFields') };
    return;
  }
  const { metadata } = next;
  for (const field of [
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'generation',
    'resourceVersion',
  ]) {
    if (current.metadata[field] === undefined) removeField(metadata, field);
    else metadata[field] = current.metadata[field];
  }
  if (current.metadata.namespace !== undefined) metadata.namespace = current.metadata.namespace;
  delete metadata['selfLink'];
  dropEmpty(metadata, ['labels', 'annotations', 'finalizers', 'ownerReferences']);
  if (type.subresources.includes('status')) {
    if (current['status'] === undefined) delete next['status'];
    else next['status'] = current['status'];
  }
  if (type.hasGeneration && !isDeepStrictEqual(contentOf(type, current), contentOf(type, next))) {
    metadata.generation = (current.metadata.generation ?? 0) + 1;
  }
}

/**
 * Returns the fields whose change increments the generation: all but metadata and a status
 * subresource.
 */
function contentOf(type: ResourceType, object: KubeObject): Record<string, unknown> {
  const ignored = type.subresources.includes('status') ? ['metadata', 'status'] : ['metadata'];
  return Object.fromEntries(Object.entries(object).filter(([field]) => !ignored.includes(field)));
}

function pick(object: Record<string, unknown>, field: string): Record<string, unknown> {
  return object[field] === undefined ? {} : { [field]: object[field] };
}

function dropEmpty(object: Record<string, unknown>, fields: string[]): void {
  for (const field of fields) {
    const value = object[field];
    if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) removeField(object, field);
  }
}
