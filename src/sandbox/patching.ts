import type { KubeObject } from '../objects/object.ts';
import { applyConfiguration } from './apply/server-side-apply.ts';
import { ApiError, badRequest, unsupportedMediaType } from './api-error.ts';
import { checkNamespace, checkTypes, parseJson, readJsonObject, readObject } from './body.ts';
import type { ClusterState } from './cluster-state.ts';
import { stringAt, type Json } from './json.ts';
import { mergePatch } from './merge-patch.ts';
import type { ApiRequest } from './request.ts';
import { ok, type ApiResponse } from './response.ts';
import type { Target } from './router.ts';
import { timestamp } from './sandbox-host.ts';
import { writeRequest } from './writing.ts';

const applyType = 'application/apply-patch+yaml';
const mergeType = 'application/merge-patch+json';

/** PATCH: a merge patch, or server-side apply. */
export function patchObject(state: ClusterState, target: Target, request: ApiRequest): ApiResponse {
  switch (request.contentType) {
    case applyType:
      return serverSideApply(state, target, request);
    case mergeType:
      return ok(
        state.objects.update(
          target.type,
          target.namespace,
          target.name,
          (current) => patched(target, current, parseJson(request.body)),
          writeRequest(request, target.subresource),
        ),
      );
    default:
      throw unsupportedMediaType([mergeType, applyType]);
  }
}

function patched(target: Target, current: KubeObject, patch: unknown): KubeObject {
  const next = mergePatch(current, readJsonObject(patch)) as Json; // a patch that is an object answers an object
  checkTypes(target.type, next);
  const object = readObject(target.type, next);
  checkNamespace(target.type, object, target.namespace);
  return structuredClone(object);
}

function serverSideApply(state: ClusterState, target: Target, request: ApiRequest): ApiResponse {
  const { type, namespace, name } = target;
  const manager = request.query.get('fieldManager') ?? '';
  if (manager === '') throw managerRequired();
  const applied = readObject(type, parseJson(request.body));
  checkNamespace(type, applied, namespace);
  const named = stringAt(applied.metadata, 'name') ?? name;
  if (named !== name) {
    throw badRequest(`the name of the object (${named}) does not match the name on the URL (${name})`);
  }
  applied.metadata.name = name;
  if (type.namespaced) applied.metadata.namespace = namespace;
  const time = timestamp(state.host);
  const write = writeRequest(request, target.subresource);
  const current = state.objects.find(type, namespace, name);
  if (!current) {
    return {
      status: 201,
      body: state.objects.create(type, namespace, applyConfiguration(type, undefined, applied, manager, time), write),
    };
  }
  return ok(
    state.objects.update(
      type,
      namespace,
      name,
      (object) => applyConfiguration(type, object, applied, manager, time),
      write,
    ),
  );
}

function managerRequired(): ApiError {
  const message = 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch';
  return new ApiError(422, 'Invalid', message, {
    group: 'meta.k8s.io',
    kind: 'PatchOptions',
    causes: [
      { reason: 'FieldValueRequired', message: 'Required value: is required for apply patch', field: 'fieldManager' },
    ],
  });
}
