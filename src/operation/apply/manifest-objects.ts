import { isJsonObject } from '../../objects/fields.ts';
import type { Value } from '../../go/value.ts';
import type { KubeObject } from '../../objects/object.ts';
import { plainObject } from '../../release/plain-value.ts';
import { splitDocuments } from '../../render/manifest/documents.ts';
import { readYaml } from '../../yaml/read.ts';
import { OperationError, messageOf } from '../error.ts';

export interface ManifestObject {
  object: KubeObject;
  /** Path of its template, or `manifest` if the manifest does not name it. */
  source: string;
}

/**
 * Reads the objects of a manifest, and those in its lists. The name of an object with
 * `generateName` is empty. Throws `invalid_manifest` with a message that starts with `prefix`.
 */
export function readObjects(manifest: string, prefix: string): ManifestObject[] {
  return splitDocuments(manifest).flatMap((document) => {
    const source = /^# Source: (.+)$/m.exec(document)?.[1] ?? 'manifest';
    try {
      return flattened(parse(document)).map((object) => ({ object, source }));
    } catch (cause) {
      throw new OperationError('invalid_manifest', `${prefix}: ${source}: ${messageOf(cause)}`, { cause });
    }
  });
}

function parse(document: string): Record<string, unknown> | undefined {
  const value: Value = readYaml(document);
  if (value === null) return undefined;
  if (!(value instanceof Map)) throw new TypeError('a manifest must be a mapping');
  return plainObject(value);
}

function flattened(data: Record<string, unknown> | undefined): KubeObject[] {
  if (data === undefined) return [];
  if (typeof data['kind'] === 'string' && data['kind'].endsWith('List') && Array.isArray(data['items'])) {
    return data['items'].flatMap((item: unknown) => (isJsonObject(item) ? flattened(item) : []));
  }
  return [checked(data)];
}

function checked(data: Record<string, unknown>): KubeObject {
  const { apiVersion, kind, metadata } = data;
  if (typeof kind !== 'string' || kind === '') throw new TypeError("Object 'Kind' is missing");
  if (typeof apiVersion !== 'string' || apiVersion === '') throw new TypeError(`${kind} without apiVersion`);
  if (!isJsonObject(metadata)) throw new TypeError(`${kind} without metadata`);
  const { name, generateName } = metadata;
  if (typeof generateName === 'string' && generateName !== '') {
    if (name !== undefined) throw new TypeError('metadata.name and metadata.generateName cannot both be set');
  } else if (typeof name !== 'string' || name === '') {
    throw new TypeError(`${kind} without metadata.name`);
  }
  const { namespace, ...others } = metadata;
  if (namespace !== undefined && namespace !== null && typeof namespace !== 'string') {
    throw new TypeError(`${kind} with a metadata.namespace that is not a string`);
  }
  return {
    ...data,
    apiVersion,
    kind,
    metadata: {
      ...others,
      name: typeof name === 'string' ? name : '',
      ...(typeof namespace === 'string' && { namespace }),
    },
  };
}
