import type { Value, ValueList, ValueMap } from '../go/value.ts';
import type { YamlTree } from './compose.ts';
import { compose, plainValue, typedScalar } from './compose.ts';
import { parseFirstDocument } from './parse.ts';
import { YamlError } from './yaml-error.ts';

/** Default limit of nodes that aliases expand to: about as many as go-yaml allows. */
export const defaultAliasedNodes = 1_000_000;

/**
 * Reads the first document of a text as `sigs.k8s.io/yaml` does. Throws {@link YamlError}, or
 * `LimitError` if aliases expand to more than `aliasedNodes` nodes.
 */
export function readYaml(text: string, aliasedNodes = defaultAliasedNodes): Value {
  // without typed scalars, the tree is a Value
  return withConversionError(() => compose(parseFirstDocument(text), plainValue, aliasedNodes)) as Value;
}

/**
 * Like {@link readYaml}, but numbers and booleans keep the text they become if Go decodes them into
 * a string.
 */
export function readTypedYaml(text: string): YamlTree {
  return withConversionError(() => compose(parseFirstDocument(text), typedScalar, defaultAliasedNodes));
}

/**
 * Reads a mapping; returns null, Go's nil map, if the document is empty or null. Throws
 * {@link YamlError}.
 */
export function readYamlMap(text: string, aliasedNodes?: number): ValueMap | null {
  const value = readYaml(text, aliasedNodes);
  if (value === null || value instanceof Map) return value;
  throw wrongKind(value, 'map[string]interface {}');
}

/**
 * Reads a list; returns null, Go's nil slice, if the document is empty or null. Throws
 * {@link YamlError}.
 */
export function readYamlList(text: string, aliasedNodes?: number): ValueList | null {
  const value = readYaml(text, aliasedNodes);
  if (value === null || Array.isArray(value)) return value;
  throw wrongKind(value, '[]interface {}');
}

function withConversionError<T>(read: () => T): T {
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
