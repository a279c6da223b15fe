import { badRequest } from '../api-error.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import type { WriteRequest } from '../cluster/object-api.ts';
import { timestamp } from '../sandbox-host.ts';
import type { ResourceType } from '../store/resource-type.ts';
import { checkNamespace, readObject } from './body.ts';
import type { ObjectAddress } from './object-address.ts';
import { type ApiRequest, requireJson } from './request.ts';
import { type ApiResponse, ok } from './response.ts';

/** Handles POST of an object. */
export function createObject(
  state: ClusterState,
  type: ResourceType,
  namespace: string,
  request: ApiRequest,
): ApiResponse {
  requireJson(request);
  const object = readObject(type, request.body);
  checkNamespace(type, object, namespace);
  if (type.namespaced && namespace === '') throw badRequest('an empty namespace may not be set during creation');
  return { status: 201, body: state.objects.create(type, namespace, object, updateRequest(state, request)) };
}

/** Handles PUT of an object or of its status. */
export function replaceObject(state: ClusterState, address: ObjectAddress, request: ApiRequest): ApiResponse {
  requireJson(request);
  const object = readObject(address.type, request.body);
  checkNamespace(address.type, object, address.namespace);
  return ok(
    state.objects.update(
      address.type,
      address.namespace,
      address.name,
      () => object,
      updateRequest(state, request, address.subresource),
    ),
  );
}

/** Reads the options of a write from the query. */
export function writeRequest(request: ApiRequest, subresource?: string): WriteRequest {
  return {
    dryRun: request.query.get('dryRun') === 'All',
    ...(subresource === 'status' && { subresource }),
  };
}

/**
 * Reads the options of a write that is not an apply. Its manager is that of the query, or the name
 * of the client's program.
 */
export function updateRequest(state: ClusterState, request: ApiRequest, subresource?: string): WriteRequest {
  const manager = request.query.get('fieldManager') ?? request.userAgent.split('/', 1)[0] ?? '';
  const updatedBy = { manager, time: timestamp(state.host), ...(subresource !== undefined && { subresource }) };
  return { ...writeRequest(request, subresource), updatedBy };
}
