import { asTable } from '../chart/values/table.ts';
import { sortedKeys } from '../go/text.ts';
import { isList } from '../go/types.ts';
import type { Value, ValueMap } from '../go/value.ts';
import { readYaml } from '../yaml/read.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import type { ObjectHead } from './object-head.ts';

const policy = 'helm.sh/resource-policy';
const metadataType = 'struct { Annotations map[string]string }';
const itemType = `struct { Metadata ${metadataType} }`;

/** Helm does not look for its annotations inside of a List. Of a file with several objects the first is looked at, as in Helm. */
export function listAnnotationProblem({ kind }: ObjectHead, text: string): string | undefined {
  if (kind !== 'List') return undefined;
  try {
    return annotationsOfItems(readYaml(text)).some((annotations) => annotations.has(policy))
      ? `annotation '${policy}' within List objects are ignored`
      : undefined;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return `unable to parse YAML: ${error.message}`;
  }
}

/** As Go decodes them into a struct: what has another type is an error. */
function annotationsOfItems(root: Value): ValueMap[] {
  const items = field(table(root, 'Go value', `struct { Items []${itemType} }`), 'items') ?? null;
  if (items === null) return [];
  if (!isList(items)) throw wrongType(items, '.Items', `[]${itemType}`);
  return items.map((item) => {
    const metadata = field(table(item, '.Items', itemType), 'metadata') ?? null;
    const annotations = field(table(metadata, '.Items.Metadata', metadataType), 'annotations') ?? null;
    const place = '.Items.Metadata.Annotations';
    const texts = table(annotations, place, 'map[string]string');
    for (const key of sortedKeys(texts)) {
      const value = texts.get(key) ?? null;
      if (isList(value) || asTable(value) !== undefined) throw wrongType(value, place, 'string');
    }
    return texts;
  });
}

function table(value: Value, place: string, type: string): ValueMap {
  const found = value === null ? new Map<string, Value>() : asTable(value);
  if (found === undefined) throw wrongType(value, place, type);
  return found;
}

/** A field by its name in any case. */
function field(fields: ValueMap, name: string): Value | undefined {
  const key = fields.has(name) ? name : [...fields.keys()].find((candidate) => candidate.toLowerCase() === name);
  return key === undefined ? undefined : fields.get(key);
}

function wrongType(value: Value, place: string, type: string): YamlError {
  const target = place.startsWith('.') ? `Go struct field ${place}` : place;
  return new YamlError(
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(value)} into ${target} of type ${type}`,
  );
}

function jsonKind(value: Value): string {
  if (isList(value)) return 'array';
  if (asTable(value) !== undefined) return 'object';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'number';
}
