import { badRequest } from '../api-error.ts';
import { checkNamespace, readObject } from './body.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { requireJson } from './media-types.ts';
import type { WriteRequest } from '../cluster/object-api.ts';
import type { ApiRequest } from './request.ts';
import type { ResourceType } from '../store/resource-type.ts';
import { ok, type ApiResponse } from './response.ts';
import type { Target } from './object-address.ts';

/** POST: a new object. */
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
  return { status: 201, body: state.objects.create(type, namespace, object, writeRequest(request)) };
}

/** PUT: the whole object, or its status. */
export function replaceObject(state: ClusterState, target: Target, request: ApiRequest): ApiResponse {
  requireJson(request);
  const object = readObject(target.type, request.body);
  checkNamespace(target.type, object, target.namespace);
  return ok(
    state.objects.update(
      target.type,
      target.namespace,
      target.name,
      () => object,
      writeRequest(request, target.subresource),
    ),
  );
}

/** What the query says about a write. */
export function writeRequest(request: ApiRequest, subresource?: string): WriteRequest {
  return {
    dryRun: request.query.get('dryRun') === 'All',
    ...(subresource === 'status' && { subresource }),
  };
}
