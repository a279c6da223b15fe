import type { KubeObject } from '../../objects/object.ts';
import { badRequest, conflict, modifiedMeanwhile, type ApiError } from '../api-error.ts';
import type { DeleteRequest } from '../cluster/deletion.ts';
import type { ResourceType } from '../store/resource-type.ts';

/** Refuses an update of another name, of another object of that name, or of a version that is no longer current. */
export function checkUpdatePreconditions(type: ResourceType, current: KubeObject, next: KubeObject): void {
  const { name, namespace } = current.metadata;
  if (next.metadata.name !== name) {
    throw badRequest(`the name of the object (${next.metadata.name}) does not match the name on the URL (${name})`);
  }
  const { uid, resourceVersion } = next.metadata;
  if (uid && uid !== current.metadata.uid) {
    const key = `/registry/${type.plural}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
    const precondition = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid ?? ''}`;
    const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${precondition}`;
    throw conflict({ ...type, name }, why);
  }
  if (resourceVersion && resourceVersion !== current.metadata.resourceVersion) {
    throw modifiedMeanwhile({ ...type, name });
  }
}

/** Refuses a deletion of another object or version than the request means. */
export function checkDeletePreconditions(
  type: ResourceType,
  current: KubeObject,
  { uid, resourceVersion }: NonNullable<DeleteRequest['preconditions']> = {},
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
  const why = `the ${what} in the precondition (${expected}) does not match the ${what} in record (${found}). The object might have been ${guess}`;
  return conflict({ ...type, plural: type.kind, name: metadata.name }, why);
}
