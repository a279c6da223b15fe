import { messageOf } from '../../errors/index.ts';
import { isJsonObject } from '../../objects/fields.ts';
import { exactNumber } from '../../objects/json-text.ts';
import type { KubeObject } from '../../objects/object.ts';
import { TypedScalar, type YamlTree } from '../../yaml/compose.ts';
import { readTypedYaml } from '../../yaml/read.ts';
import type { ManifestObject } from '../release-renderer.ts';
import { RenderError } from '../render-error.ts';
import { splitDocuments } from './documents.ts';

/**
 * Reads the objects of a manifest, and those in its lists. The name of an object with
 * `generateName`, or without a name, is empty. Integers that a number would round are bigints.
 * Throws RenderError `invalid_manifest` with a message that starts with `prefix`, which may be
 * empty.
 */
export function* readObjects(manifest: string, prefix: string): Generator<ManifestObject, void> {
  const documents = splitDocuments(manifest);
  for (const [index, document] of documents.entries()) {
    const unnamed = documents.length === 1 ? 'manifest' : `document ${index + 1}`;
    const source = /^# Source: (.+)$/m.exec(document)?.[1] ?? unnamed;
    try {
      for (const object of flattenLists(parseDocument(document))) yield { object, source };
    } catch (cause) {
      const reason = messageOf(cause);
      const start = prefix === '' ? '' : `${prefix}: `;
      throw new RenderError('invalid_manifest', `${start}${source}: ${reason}`, { cause });
    }
  }
}

function parseDocument(document: string): Record<string, unknown> | undefined {
  const tree = readTypedYaml(document);
  if (tree === null) return undefined;
  if (!(tree instanceof Map)) throw new TypeError('a manifest must be a mapping');
  return plainMap(tree);
}

/** Every key becomes an own property, even `__proto__`. */
function plainMap(map: ReadonlyMap<string, YamlTree>): Record<string, unknown> {
  return Object.fromEntries(Array.from(map, ([key, value]) => [key, plainTree(value)]));
}

function plainTree(tree: YamlTree): unknown {
  if (tree instanceof TypedScalar) {
    const { value, text } = tree;
    return typeof value === 'number' ? exactNumber(value, text) : value;
  }
  if (tree instanceof Map) return plainMap(tree);
  return Array.isArray(tree) ? tree.map(plainTree) : tree;
}

function flattenLists(data: Record<string, unknown> | undefined): KubeObject[] {
  if (data === undefined) return [];
  if (typeof data['kind'] === 'string' && data['kind'].endsWith('List') && Array.isArray(data['items'])) {
    return data['items'].flatMap((item: unknown) => (isJsonObject(item) ? flattenLists(item) : []));
  }
  return [validateObject(data)];
}

/** Checks what every object has, and returns it with its name. */
function validateObject(data: Record<string, unknown>): KubeObject {
  const { apiVersion, kind, metadata = {} } = data;
  if (typeof kind !== 'string' || kind === '') throw new TypeError("Object 'Kind' is missing");
  if (typeof apiVersion !== 'string' || apiVersion === '') throw new TypeError(`${kind} without apiVersion`);
  if (!isJsonObject(metadata)) throw new TypeError(`${kind} without metadata`);
  const { name, namespace, labels, annotations, generateName, ...others } = metadata;
  requireString('name', name);
  requireString('namespace', namespace);
  requireStrings('labels', labels);
  requireStrings('annotations', annotations);
  if (typeof generateName === 'string' && generateName !== '') {
    if (name !== undefined) throw new TypeError('metadata.name and metadata.generateName cannot both be set');
  }
  return {
    ...data,
    apiVersion,
    kind,
    metadata: {
      ...others,
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
      ...(generateName !== undefined && { generateName }),
      name: name ?? '',
      ...(typeof namespace === 'string' && { namespace }),
    },
  };
}

/** Throws the error of Go for a field that is not a string. Null is allowed, as in Go. */
function requireString(field: string, value: unknown): asserts value is string | null | undefined {
  if (value !== undefined && value !== null && typeof value !== 'string') throw wrongType(field, value, 'string');
}

function requireStrings(field: string, value: unknown): asserts value is Record<string, string> | undefined {
  if (value === undefined || value === null) return;
  if (!isJsonObject(value)) throw wrongType(field, value, 'map[string]string');
  for (const item of Object.values(value)) requireString(field, item);
}

function wrongType(field: string, value: unknown, wanted: string): TypeError {
  const found = goTypeOf(value);
  return new TypeError(
    `json: cannot unmarshal ${found} into Go struct field ObjectMeta.metadata.${field} of type ${wanted}`,
  );
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}
