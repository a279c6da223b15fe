import type { Value, ValueList, ValueMap } from '../go/value.ts';
import { compose, plainValue, typedScalar } from './compose.ts';
import type { YamlTree } from './compose.ts';
import { parseFirstDocument } from './parse.ts';
import { YamlError } from './yaml-error.ts';

/** Reads the first document of a text as `sigs.k8s.io/yaml` does. Throws {@link YamlError}. */
export function readYaml(text: string): Value {
  // without typed scalars the tree consists of values only
  return converted(() => compose(parseFirstDocument(text), plainValue)) as Value;
}

/** Like {@link readYaml}, but numbers and booleans keep the text that they become where Go decodes them into a string. */
export function readTypedYaml(text: string): YamlTree {
  return converted(() => compose(parseFirstDocument(text), typedScalar));
}

/** Reads a mapping; null, as Go's nil map, where the document is empty or null. Throws {@link YamlError}. */
export function readYamlMap(text: string): ValueMap | null {
  const value = readYaml(text);
  if (value === null || value instanceof Map) return value;
  throw wrongKind(value, 'map[string]interface {}');
}

/** Reads a list; null, as Go's nil slice, where the document is empty or null. Throws {@link YamlError}. */
export function readYamlList(text: string): ValueList | null {
  const value = readYaml(text);
  if (value === null || Array.isArray(value)) return value;
  throw wrongKind(value, '[]interface {}');
}

function converted<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new YamlError(`error converting YAML to JSON: ${error.message}`, error.line);
  }
}

function wrongKind(value: Value, wanted: string): YamlError {
  const kind =
    value instanceof Map
      ? 'object'
      : Array.isArray(value)
        ? 'array'
        : value === true || value === false
          ? 'bool'
          : typeof value;
  return new YamlError(
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kind} into Go value of type ${wanted}`,
  );
}
