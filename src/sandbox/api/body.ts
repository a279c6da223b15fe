import { isJsonObject, stringAt } from '../../objects/fields.ts';
import { versionOf } from '../../objects/group-kind.ts';
import type { KubeObject } from '../../objects/object.ts';
import { decodingError, typeMismatch } from '../admission/field-types.ts';
import { type ApiError, badRequest } from '../api-error.ts';
import { apiVersionOf, type ResourceType } from '../store/resource-type.ts';

/**
 * Reads the object in a request's body. Throws a 400 if its kind is not that of the URL or if a
 * field has the wrong type.
 */
export function readObject(type: ResourceType, text: string): KubeObject {
  const object = readTyped(type, parseObject(type, text));
  checkTypes(type, object, (problem) => badRequest(`${cannotBeHandled(type, type.kind, type.version)}: ${problem}`));
  return object;
}

/**
 * Checks that the kind and version match the URL, and sets them if they are absent. Throws a 400.
 */
export function readTyped(type: ResourceType, body: unknown): KubeObject {
  if (!isJsonObject(body)) throw badRequest(`the object provided is unrecognized (must be of type ${type.kind})`);
  const expected = apiVersionOf(type);
  const kind = stringAt(body, 'kind') ?? type.kind;
  const apiVersion = stringAt(body, 'apiVersion') ?? expected;
  if (kind !== type.kind) {
    const version = versionOf(apiVersion);
    throw badRequest(
      `${cannotBeHandled(type, kind, version)}: converting (${version}.${kind}) to (${type.version}.${type.kind}): unknown conversion`,
    );
  }
  if (apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  const metadata = isJsonObject(body['metadata']) ? body['metadata'] : {};
  // Checked by checkTypes and by validation.
  return { ...body, apiVersion, kind, metadata: metadata as KubeObject['metadata'] };
}

/** Throws the error that `refuse` returns for the first field with the wrong type. */
export function checkTypes(type: ResourceType, object: KubeObject, refuse: (problem: string) => ApiError): void {
  const mismatch = typeMismatch(type, object);
  if (mismatch) throw refuse(decodingError(mismatch));
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // JSON.parse throws SyntaxErrors only.
    throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
}

function parseObject(type: ResourceType, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // JSON.parse throws SyntaxErrors only.
    const problem = text.trim() === '' ? 'unexpected end of JSON input (<empty>)' : (error as Error).message;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${type.kind}): couldn't get version/kind; json parse error: ${problem}`,
    );
  }
}

/** Checks that the namespace of an object, if set, is the one in the URL. Throws a 400. */
export function checkNamespace(type: ResourceType, object: KubeObject, namespace: string): void {
  const named = object.metadata.namespace;
  if (type.namespaced && named && named !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

function cannotBeHandled(type: ResourceType, kind: string, version: string): string {
  return `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${type.kind}`;
}
