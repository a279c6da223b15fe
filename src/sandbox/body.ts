import type { KubeObject } from '../objects/object.ts';
import { ApiError, badRequest } from './api-error.ts';
import { isJson, type Json } from './json.ts';
import { apiVersionOf, type ResourceType } from './resource-type.ts';
import { typeMismatch } from './field-types.ts';

/** The object in a request's body, of the kind that the URL says. Fails with 400. */
export function readObject(type: ResourceType, body: unknown): KubeObject {
  const object = readJsonObject(body);
  const expected = apiVersionOf(type);
  if (typeof object['kind'] !== 'string' || object['kind'] === '') {
    throw badRequest(`Object 'Kind' is missing in '${JSON.stringify(object)}'`);
  }
  object['apiVersion'] ??= expected;
  if (object['kind'] !== type.kind) {
    throw badRequest(
      `${object['kind']} in version ${JSON.stringify(type.version)} cannot be handled as a ${type.kind}: converting (${String(object['apiVersion'])}, Kind=${object['kind']}) to (${expected}, Kind=${type.kind}): unknown conversion`,
    );
  }
  if (object['apiVersion'] !== expected) {
    throw badRequest(
      `the API version in the data (${String(object['apiVersion'])}) does not match the expected API version (${expected})`,
    );
  }
  checkTypes(type, object);
  return object as unknown as KubeObject; // kind, apiVersion and metadata were checked above
}

/** Checks what JSON cannot promise about the object after a patch. Fails with 400 as decoding in Go does. */
export function checkTypes(type: ResourceType, object: Json): void {
  const cannot = `${type.kind} in version ${JSON.stringify(type.version)} cannot be handled as a ${type.kind}: `;
  object['metadata'] ??= {};
  const mismatch = typeMismatch(type, object);
  if (mismatch !== undefined) throw badRequest(`${cannot}${mismatch}`);
}

export function readJsonObject(body: unknown): Json {
  if (!isJson(body)) throw badRequest("couldn't get version/kind; json parse error: the body is no JSON object");
  return body;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ApiError(400, 'BadRequest', `couldn't get version/kind; json parse error: ${(error as Error).message}`); // JSON.parse throws SyntaxErrors only
  }
}

/** The object that a write says its namespace is in, against the one in the URL. Fails with 400. */
export function checkNamespace(type: ResourceType, object: KubeObject, namespace: string): void {
  const named = object.metadata.namespace;
  if (type.namespaced && named && named !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}
