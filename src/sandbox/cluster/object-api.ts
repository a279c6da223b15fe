import { isDeepStrictEqual } from 'node:util';
import { stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { admitPod, validate } from '../admission/admit.ts';
import { applyDefaults } from '../admission/defaults.ts';
import { checkDeletePreconditions, checkUpdatePreconditions } from '../admission/preconditions.ts';
import { prepareForCreate, prepareForUpdate } from '../admission/prepare.ts';
import { alreadyExists, ApiError, forbidden, invalid, notFound, required } from '../api-error.ts';
import { recordUpdate, type UpdateManager } from '../apply/update-ownership.ts';
import { nameSuffix, type SandboxHost } from '../sandbox-host.ts';
import { apiVersionOf, collectionOf, type ResourceType } from '../store/resource-type.ts';
import type { Store } from '../store/store.ts';
import { type DeleteRequest, isDeleted, markDeleted } from './deletion.ts';
import type { ServiceAllocator } from './service-allocator.ts';

export interface WriteRequest {
  /** Whether to validate the write and return its result without storing it. */
  dryRun?: boolean;
  /** With `status`, only the status changes. */
  subresource?: 'status';
  /** The client that becomes the owner of the fields that it changes. Default: none. */
  updatedBy?: UpdateManager;
}

/**
 * Operations on objects, for requests and for the sandbox's controllers. Every write sets defaults,
 * validates the object and maintains its metadata (uid, generation, resourceVersion, finalizers).
 * Throws `ApiError`.
 */
export interface ObjectApi {
  find(type: ResourceType, namespace: string, name: string): KubeObject | undefined;
  get(type: ResourceType, namespace: string, name: string): KubeObject;
  create(type: ResourceType, namespace: string, object: KubeObject, request?: WriteRequest): KubeObject;
  /** Replaces an object by the result of `change`, which receives a copy that it may modify. */
  update(
    type: ResourceType,
    namespace: string,
    name: string,
    change: (current: KubeObject) => KubeObject,
    request?: WriteRequest,
  ): KubeObject;
  /** Deletes an object. Returns its last state, or its current state if it is still terminating. */
  remove(
    type: ResourceType,
    namespace: string,
    name: string,
    request?: DeleteRequest,
  ): { object: KubeObject; gone: boolean };
}

export function createObjectApi(store: Store, host: SandboxHost, allocator: ServiceAllocator): ObjectApi {
  const find = (type: ResourceType, namespace: string, name: string): KubeObject | undefined => {
    const found = store.get(collectionOf(type), namespace, name);
    return found && inVersion(type, found);
  };
  const get = (type: ResourceType, namespace: string, name: string): KubeObject => {
    const found = find(type, namespace, name);
    if (!found) throw notFound({ ...type, name });
    return found;
  };

  return {
    find,
    get,
    create(type, namespace, given, request = {}) {
      const object = structuredClone(given);
      if (object.metadata.resourceVersion) {
        throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created');
      }
      object.metadata.namespace = namespace;
      if (!type.namespaced) delete object.metadata.namespace;
      nameObject(type, object, host);
      const { name } = object.metadata;
      if (type.namespaced) requireLiveNamespace(store, type, namespace, name);
      prepareForCreate(type, object, host);
      if (!type.custom) applyDefaults(object);
      if (request.updatedBy) recordUpdate(type, undefined, object, request.updatedBy);
      if (collectionOf(type) === '/pods') admitPod(store, type, object);
      validate(type, object);
      if (find(type, namespace, name)) throw alreadyExists({ ...type, name });
      if (object.kind === 'Service' && !type.custom) allocator.assign(object);
      return request.dryRun ? object : inVersion(type, store.put(collectionOf(type), object));
    },

    update(type, namespace, name, change, request = {}) {
      const current = get(type, namespace, name);
      const next = change(structuredClone(current));
      checkUpdatePreconditions(type, current, next);
      prepareForUpdate(type, current, next, request.subresource);
      if (!type.custom) applyDefaults(next);
      if (request.updatedBy) recordUpdate(type, current, next, request.updatedBy);
      if (next.kind === 'Service' && !type.custom) allocator.keepOrAssign(current, next);
      validate(type, next, current);
      if (request.dryRun || isDeepStrictEqual(current, next)) return next;
      if (isDeleted(next)) return store.remove(collectionOf(type), namespace, name) ?? next;
      return inVersion(type, store.put(collectionOf(type), next));
    },

    remove(type, namespace, name, request = {}) {
      const current = get(type, namespace, name);
      checkDeletePreconditions(type, current, request.preconditions);
      const marked = markDeleted(type, current, request, host);
      if (marked === undefined) {
        if (!request.dryRun) store.remove(collectionOf(type), namespace, name);
        return { object: current, gone: true };
      }
      if (request.dryRun || isDeepStrictEqual(marked, current)) return { object: marked, gone: false };
      return { object: inVersion(type, store.put(collectionOf(type), marked)), gone: false };
    },
  };
}

function inVersion(type: ResourceType, object: KubeObject): KubeObject {
  const apiVersion = apiVersionOf(type);
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** Generates the name from `generateName` if there is none. */
function nameObject(type: ResourceType, object: KubeObject, host: SandboxHost): void {
  const { metadata } = object;
  const prefix = stringAt(metadata, 'generateName');
  if (metadata.name) return;
  if (!prefix) throw invalid({ ...type, name: '' }, [required('metadata.name', 'name or generateName is required')]);
  metadata.name = prefix.slice(0, 58) + nameSuffix(host);
}

/** Refuses an object whose namespace does not exist or is terminating. */
function requireLiveNamespace(store: Store, type: ResourceType, namespace: string, name: string): void {
  const found = store.get('/namespaces', '', namespace);
  if (!found) throw notFound({ group: '', plural: 'namespaces', kind: 'Namespace', name: namespace });
  if (found.metadata.deletionTimestamp === undefined) return;
  const refusal = forbidden(
    { ...type, name },
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  throw new ApiError(refusal.status, refusal.reason, refusal.message, {
    ...refusal.details,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  });
}
