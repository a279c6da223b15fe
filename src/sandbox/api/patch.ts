import { isJsonObject, type JsonObject, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { applyMergePatch } from '../../objects/patch/json-merge-patch.ts';
import { ApiError, badRequest, conflict, invalid, invalidValue, unsupportedPatchType } from '../api-error.ts';
import { topologyFor } from '../apply/list-keys.ts';
import { applyConfiguration } from '../apply/server-side-apply.ts';
import { checkTypedPatch } from '../apply/typed-patch.ts';
import type { ClusterState } from '../cluster/cluster-state.ts';
import { timestamp } from '../sandbox-host.ts';
import { checkNamespace, checkTypes, parseJson, readTyped } from './body.ts';
import { updateRequest, writeRequest } from './create-and-replace.ts';
import type { ObjectAddress } from './object-address.ts';
import type { ApiRequest } from './request.ts';
import { type ApiResponse, ok } from './response.ts';
import { strategicMergePatch } from './strategic-merge-patch.ts';

const applyType = 'application/apply-patch+yaml';
const mergeType = 'application/merge-patch+json';
const strategicType = 'application/strategic-merge-patch+json';

/** Handles PATCH: a merge patch, or server-side apply. */
export function patchObject(state: ClusterState, address: ObjectAddress, request: ApiRequest): ApiResponse {
  switch (request.contentType) {
    case applyType:
      return serverSideApply(state, address, request);
    case mergeType:
      return changeBy(state, address, request, applyMergePatch);
    case strategicType:
      if (address.type.custom) throw unsupportedPatchType();
      return changeBy(state, address, request, (current, patch) =>
        strategicMergePatch(current, patch, topologyFor(address.type)),
      );
    default:
      throw unsupportedPatchType();
  }
}

type Merge = (current: JsonObject, patch: JsonObject) => unknown;

function changeBy(state: ClusterState, address: ObjectAddress, request: ApiRequest, merge: Merge): ApiResponse {
  const { type, namespace, name, subresource } = address;
  const change = (current: KubeObject) => patched(address, current, parsePatch(request.body), merge);
  return ok(state.objects.update(type, namespace, name, change, updateRequest(state, request, subresource)));
}

function patched(address: ObjectAddress, current: KubeObject, patch: JsonObject, merge: Merge): KubeObject {
  const next = merge(current, patch) as JsonObject; // the result of a patch that is an object
  const object = readTyped(address.type, next);
  checkUid(address, current, object);
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
    const { uid } = applied.metadata;
    if (uid !== undefined) throw conflict({ ...type, name }, missingUid(uid));
    return {
      status: 201,
      body: state.objects.create(type, namespace, applyConfiguration(type, undefined, applied, apply), write),
    };
  }
  return ok(
    state.objects.update(
      type,
      namespace,
      name,
      (object) => {
        checkUid(address, object, applied);
        return applyConfiguration(type, object, applied, apply);
      },
      write,
    ),
  );
}

/** Refuses a patch with the uid of another object. */
function checkUid({ type, name }: ObjectAddress, current: KubeObject, { metadata: { uid } }: KubeObject): void {
  if (uid === undefined || uid === current.metadata.uid) return;
  throw invalid({ ...type, name }, [invalidValue('metadata.uid', uid, 'field is immutable')]);
}

function missingUid(uid: string): string {
  return `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
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
