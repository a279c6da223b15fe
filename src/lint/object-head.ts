import { sortedKeys } from '../go/text.ts';
import type { Value } from '../go/value.ts';
import { TypedScalar, type YamlTree } from '../yaml/compose.ts';
import { readTypedYaml } from '../yaml/read.ts';
import { YamlError } from '../yaml/yaml-error.ts';

/** What linting looks at in an object. Absent text is empty, as in Go. */
export interface ObjectHead {
  apiVersion: string;
  kind: string;
  name: string;
}

/** Reads an object's head as Go decodes YAML into a struct; undefined for an empty document. Throws {@link YamlError}. */
export function readObjectHead(text: string): ObjectHead | undefined {
  try {
    return headOf(readTypedYaml(text));
  } catch (error) {
    if (!(error instanceof HeadError)) throw error;
    throw new YamlError(`error unmarshaling JSON: while decoding JSON: ${error.message}`);
  }
}

/** Reads an object's head as Go decodes JSON, where a number is no string. Throws {@link YamlError}. */
export function readJsonHead(value: Value): ObjectHead | undefined {
  // what JSON is read into consists of what YAML trees consist of
  return headOf(value as YamlTree);
}

class HeadError extends YamlError {}

function headOf(tree: YamlTree): ObjectHead | undefined {
  if (tree === null) return undefined;
  const head: ObjectHead = { apiVersion: '', kind: '', name: '' };
  for (const [key, value] of fieldsOf(tree, 'Go value of type rules.k8sYamlStruct')) {
    if (key === 'apiversion') head.apiVersion = textOf(value, 'k8sYamlStruct.apiVersion');
    else if (key === 'kind') head.kind = textOf(value, 'k8sYamlStruct.Kind');
    else if (key === 'metadata') {
      const place = 'Go struct field k8sYamlStruct.Metadata of type rules.k8sYamlMetadata';
      for (const [name, inner] of fieldsOf(value, place)) {
        if (name === 'name') head.name = textOf(inner, 'k8sYamlMetadata.Metadata.Name');
        else if (name === 'namespace') textOf(inner, 'k8sYamlMetadata.Metadata.Namespace');
      }
    }
  }
  return head;
}

/** The fields in the order in which Go meets them, their names in lower case. */
function fieldsOf(tree: YamlTree, place: string): [string, YamlTree][] {
  if (tree === null) return [];
  if (!(tree instanceof Map)) throw wrongType(tree, place);
  return sortedKeys(tree).map((key) => [key.toLowerCase(), tree.get(key) ?? null]);
}

function textOf(tree: YamlTree, field: string): string {
  if (tree === null) return '';
  if (typeof tree === 'string') return tree;
  if (tree instanceof TypedScalar) return tree.text;
  throw wrongType(tree, `Go struct field ${field} of type string`);
}

function wrongType(tree: YamlTree, place: string): HeadError {
  return new HeadError(`json: cannot unmarshal ${jsonKind(tree)} into ${place}`);
}

function jsonKind(tree: YamlTree): string {
  if (tree instanceof Map) return 'object';
  if (Array.isArray(tree)) return 'array';
  const value = tree instanceof TypedScalar ? tree.value : tree;
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
