import type { KubeObject } from '../../objects/object.ts';
import { type ApiError, badRequest, conflict, staleVersion } from '../api-error.ts';
import type { ResourceType } from '../store/resource-type.ts';

/** Conditions that the current object has to meet. */
export interface Preconditions {
  uid?: string;
  resourceVersion?: string;
}

/**
 * Refuses an update that changes the name, or whose uid or resourceVersion is not the current one.
 */
export function checkUpdatePreconditions(type: ResourceType, current: KubeObject, next: KubeObject): void {
  const { name, namespace } = current.metadata;
  if (next.metadata.name !== name) {
    throw badRequest(`the name of the object (${next.metadata.name}) does not match the name on the URL (${name})`);
  }
  const { uid, resourceVersion } = next.metadata;
  if (uid && uid !== current.metadata.uid) {
    const key = `/registry/${type.plural}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
    const precondition = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid ?? ''}`;
    const reason = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${precondition}`;
    throw conflict({ ...type, name }, reason);
  }
  if (resourceVersion && resourceVersion !== current.metadata.resourceVersion) {
    throw staleVersion({ ...type, name });
  }
}

/** Refuses a deletion if the uid or resourceVersion is not the one in the preconditions. */
export function checkDeletePreconditions(
  type: ResourceType,
  current: KubeObject,
  { uid, resourceVersion }: Preconditions = {},
): void {
  if (uid !== undefined && uid !== current.metadata.uid) throw failed(type, current, 'UID', uid);
  if (resourceVersion !== undefined && resourceVersion !== current.metadata.resourceVersion) {
    throw failed(type, current, 'ResourceVersion', resourceVersion);
  }
}

function failed(
  type: ResourceType,
  { metadata }: KubeObject,
  what: 'UID' | 'ResourceVersion',
  expected: string,
): ApiError {
  const found = (what === 'UID' ? metadata.uid : metadata.resourceVersion) ?? '';
  const guess = what === 'UID' ? 'deleted and then recreated' : 'modified';
  const reason = `the ${what} in the precondition (${expected}) does not match the ${what} in record (${found}). The object might have been ${guess}`;
  return conflict({ ...type, plural: type.kind, name: metadata.name }, reason);
}
