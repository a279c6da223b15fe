import { badRequest, methodNotAllowed, noSuchResource, notFound } from '../api-error.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { kubernetesVersion } from '../store/builtin-resources.ts';
import { collectionOf, type ResourceType } from '../store/resource-type.ts';
import { authorize, ownRights } from './authorization.ts';
import { createObject, replaceObject } from './create-and-replace.ts';
import { deleteCollection, deleteObject } from './delete.ts';
import { aggregatedDiscovery, apiGroup, apiGroupList, apiResourceList, apiVersions, groupNames } from './discovery.ts';
import { listDocument } from './list.ts';
import type { ObjectAddress } from './object-address.ts';
import { openApiDocument } from './openapi.ts';
import { patchObject } from './patch.ts';
import { podLog } from './pod-logs.ts';
import type { ApiRequest } from './request.ts';
import { parseResourcePath, type ResourcePath } from './resource-path.ts';
import { type ApiResponse, ok } from './response.ts';
import { readScale, writeScale } from './scale.ts';
import { selectionOf } from './selection.ts';
import { streamWatch, type WatchSettings } from './watch.ts';

/** Handles a request. Throws `ApiError`. */
export function route(state: ClusterState, settings: WatchSettings, request: ApiRequest): ApiResponse {
  const path = request.path.replace(/(?<!\/)\/+$/, '');
  if (['/readyz', '/livez', '/healthz'].includes(path)) return { status: 200, text: 'ok' };
  if (path === '/version') return ok(version);
  const document = discoveryDocument(state.registry.types(), path, request.accept);
  if (document !== undefined) return document;
  const review = ownRights(state, request);
  if (review !== undefined) return review;
  const resource = parseResourcePath(path);
  if (!resource) return pageNotFound;
  authorize(state, request, resource);
  const type = state.registry.byPlural(resource.group, resource.version, resource.plural);
  if (!type || (resource.namespace !== undefined && !type.namespaced)) {
    if (resource.group !== '' && state.registry.types().every(({ group }) => group !== resource.group))
      return pageNotFound;
    throw noSuchResource();
  }
  if (!type.verbs.includes('get')) throw methodNotAllowed(); // a review, which is answered above
  return resource.name === undefined
    ? handleCollection(state, settings, type, resource, request)
    : handleObject(state, type, resource, resource.name, request);
}

const version = {
  major: '1',
  minor: '35',
  gitVersion: kubernetesVersion,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2025-12-17T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
};

const pageNotFound: ApiResponse = { status: 404, text: '404 page not found\n' };

/** Media type by which clients request and recognize aggregated discovery. */
const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

function discoveryDocument(types: readonly ResourceType[], path: string, accept: string): ApiResponse | undefined {
  if (path === '/api' || path === '/apis') {
    const isCore = path === '/api';
    if (!accept.includes(aggregatedType)) return ok(isCore ? apiVersions() : apiGroupList(types));
    const body = aggregatedDiscovery(types, isCore ? [''] : groupNames(types));
    return { status: 200, body, contentType: aggregatedType };
  }
  const document = groupDocument(types, path) ?? openApiDocument(types, path);
  return document === undefined ? undefined : ok(document);
}

function groupDocument(types: readonly ResourceType[], path: string): unknown {
  if (path === '/api/v1') return apiResourceList(types, 'v1');
  const match = /^\/apis\/([^/]+)(?:\/([^/]+))?$/.exec(path);
  if (!match?.[1]) return undefined;
  return match[2] === undefined ? apiGroup(types, match[1]) : apiResourceList(types, `${match[1]}/${match[2]}`);
}

function handleCollection(
  state: ClusterState,
  settings: WatchSettings,
  type: ResourceType,
  resource: ResourcePath,
  request: ApiRequest,
): ApiResponse {
  switch (request.method) {
    case 'GET': {
      const selection = selectionOf(type, resource.namespace, request.query);
      const watching = ['true', '1'].includes(request.query.get('watch') ?? '');
      if (!watching) return ok(listDocument(state.store, type, selection, request.query, request.accept));
      return {
        stream: (response) =>
          streamWatch(state.store, type, selection, request.query, settings, request.signal, response),
      };
    }
    case 'POST':
      return createObject(state, type, resource.namespace ?? '', request);
    case 'DELETE':
      return deleteCollection(state, type, selectionOf(type, resource.namespace, request.query), request);
    default:
      throw methodNotAllowed();
  }
}

/** Subresources of pods that connect a client with a container. */
const containerConnections: readonly string[] = ['exec', 'attach', 'portforward'];

function handleObject(
  state: ClusterState,
  type: ResourceType,
  resource: ResourcePath,
  name: string,
  request: ApiRequest,
): ApiResponse {
  if (type.namespaced && resource.namespace === undefined) throw noSuchResource();
  const { subresource } = resource;
  const needsContainer = collectionOf(type) === '/pods' && containerConnections.includes(subresource ?? '');
  if (subresource !== undefined && !needsContainer && !type.subresources.includes(subresource)) throw noSuchResource();
  const address: ObjectAddress = {
    type,
    namespace: resource.namespace ?? '',
    name,
    ...(subresource !== undefined && { subresource }),
  };
  if (needsContainer) {
    read(state, address); // not found if there is no such pod
    throw badRequest('the sandbox runs no containers: exec, attach and port-forward work only in a real cluster');
  }
  if (subresource === 'log') return podLog(state, address, request);
  switch (request.method) {
    case 'GET':
      return ok(subresource === 'scale' ? readScale(state, address) : read(state, address));
    case 'PUT':
      return subresource === 'scale' ? writeScale(state, address, request) : replaceObject(state, address, request);
    case 'PATCH':
      return patchObject(state, address, request);
    case 'DELETE':
      if (subresource !== undefined) throw methodNotAllowed();
      return deleteObject(state, address, request);
    default:
      throw methodNotAllowed();
  }
}

function read(state: ClusterState, { type, namespace, name }: ObjectAddress): unknown {
  const found = state.objects.find(type, namespace, name);
  if (!found) throw notFound({ ...type, name });
  return found;
}
