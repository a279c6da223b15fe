import type { KubeObject } from '../../objects/object.ts';
import { applyConfiguration } from '../apply/server-side-apply.ts';
import { checkTypedPatch } from '../apply/typed-patch.ts';
import { ApiError, badRequest, unsupportedPatchType } from '../api-error.ts';
import { checkNamespace, checkTypes, parseJson, readTyped } from './body.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { isJsonObject, stringAt, type JsonObject } from '../../objects/fields.ts';
import { mergePatch } from './merge-patch.ts';
import type { ApiRequest } from './request.ts';
import { ok, type ApiResponse } from './response.ts';
import type { ObjectAddress } from './object-address.ts';
import { timestamp } from '../sandbox-host.ts';
import { writeRequest } from './create-and-replace.ts';

const applyType = 'application/apply-patch+yaml';
const mergeType = 'application/merge-patch+json';

/** Handles PATCH: a merge patch, or server-side apply. */
export function patchObject(state: ClusterState, address: ObjectAddress, request: ApiRequest): ApiResponse {
  switch (request.contentType) {
    case applyType:
      return serverSideApply(state, address, request);
    case mergeType:
      return ok(
        state.objects.update(
          address.type,
          address.namespace,
          address.name,
          (current) => patched(address, current, parsePatch(request.body)),
          writeRequest(request, address.subresource),
        ),
      );
    default:
      throw unsupportedPatchType();
  }
}

function patched(address: ObjectAddress, current: KubeObject, patch: JsonObject): KubeObject {
  const next = mergePatch(current, patch) as JsonObject; // the result of a patch that is an object
  const object = readTyped(address.type, next);
  checkTypes(address.type, object, (problem) => patchRefused(next, problem));
  checkNamespace(address.type, object, address.namespace);
  return structuredClone(object);
}

function parsePatch(text: string): JsonObject {
  const refuse = (problem: string): ApiError => badRequest(`error decoding patch: ${problem}`);
  let patch: unknown;
  try {
    patch = JSON.parse(text);
  } catch (error) {
    throw refuse((error as Error).message); // JSON.parse throws SyntaxErrors only
  }
  if (isJsonObject(patch)) return patch;
  throw refuse(
    `json: cannot unmarshal ${Array.isArray(patch) ? 'array' : typeof patch} into Go value of type map[string]interface {}`,
  );
}

/** Returns the error for a patch that leaves a field with the wrong type. */
function patchRefused(result: JsonObject, problem: string): ApiError {
  const message = `Invalid value: ${JSON.stringify(JSON.stringify(result))}: ${problem}`;
  const causes = [{ reason: 'FieldValueInvalid', message, field: 'patch' }];
  return new ApiError(422, 'Invalid', ` "" is invalid: patch: ${message}`, { causes });
}

function serverSideApply(state: ClusterState, address: ObjectAddress, request: ApiRequest): ApiResponse {
  const { type, namespace, name } = address;
  const manager = request.query.get('fieldManager') ?? '';
  if (manager === '') throw managerRequired();
  const applied = readTyped(type, parseJson(request.body));
  checkNamespace(type, applied, namespace);
  const named = stringAt(applied.metadata, 'name') ?? name;
  if (named !== name) {
    throw badRequest(`the name of the object (${named}) does not match the name on the URL (${name})`);
  }
  applied.metadata.name = name;
  checkTypedPatch(type, applied);
  if (type.namespaced) applied.metadata.namespace = namespace;
  const apply = { manager, force: request.query.get('force') === 'true', time: timestamp(state.host) };
  const write = writeRequest(request, address.subresource);
  const current = state.objects.find(type, namespace, name);
  if (!current) {
    return {
      status: 201,
      body: state.objects.create(type, namespace, applyConfiguration(type, undefined, applied, apply), write),
    };
  }
  return ok(
    state.objects.update(type, namespace, name, (object) => applyConfiguration(type, object, applied, apply), write),
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
