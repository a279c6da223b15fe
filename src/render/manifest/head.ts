import { sortedKeys } from '../../go/text.ts';
import { TypedScalar, type YamlTree } from '../../yaml/compose.ts';
import { readTypedYaml } from '../../yaml/read.ts';
import { YamlError } from '../../yaml/yaml-error.ts';

/** What of a manifest decides where it goes. Absent text is empty, as in Go. */
export interface ManifestHead {
  apiVersion: string;
  kind: string;
  name: string;
  /** Those that are text, or become text: numbers and booleans. */
  annotations: ReadonlyMap<string, string>;
}

const metadataType = 'struct { Name string "json:\\"name\\""; Annotations map[string]string "json:\\"annotations\\"" }';

/**
 * Reads the head of a manifest as Go decodes YAML into a struct: names in any case, scalars as text, null as nothing.
 * Throws {@link YamlError} with Go's text for the first field of a wrong type (pkg/release/v1/util/manifest.go: SimpleHead).
 */
export function readHead(manifest: string): ManifestHead {
  const head = { apiVersion: '', kind: '', name: '', annotations: new Map<string, string>() };
  const top = asMap(readTypedYaml(manifest), 'Go value of type util.SimpleHead');
  for (const [key, value] of fieldsOf(top)) {
    if (key === 'apiversion') head.apiVersion = asText(value, 'SimpleHead.apiVersion') ?? head.apiVersion;
    else if (key === 'kind') head.kind = asText(value, 'SimpleHead.kind') ?? head.kind;
    else if (key === 'metadata') readMetadata(value, head);
  }
  return head;
}

function readMetadata(tree: YamlTree, head: { name: string; annotations: Map<string, string> }): void {
  for (const [key, value] of fieldsOf(asMap(tree, `Go struct field SimpleHead.metadata of type ${metadataType}`))) {
    if (key === 'name') head.name = asText(value, '.metadata.name') ?? head.name;
    else if (key === 'annotations') {
      const annotations = asMap(value, 'Go struct field .metadata.annotations of type map[string]string');
      for (const name of sortedKeys(annotations)) {
        head.annotations.set(name, asText(annotations.get(name) ?? null, '.metadata.annotations') ?? '');
      }
    }
  }
}

/** The fields in the order in which Go meets them, their names in lower case. */
function fieldsOf(map: ReadonlyMap<string, YamlTree>): [string, YamlTree][] {
  return sortedKeys(map).map((key) => [key.toLowerCase(), map.get(key) ?? null]);
}

function asMap(tree: YamlTree, place: string): ReadonlyMap<string, YamlTree> {
  if (tree === null) return new Map();
  if (tree instanceof Map) return tree;
  throw wrongType(tree, place);
}

function asText(tree: YamlTree, field: string): string | undefined {
  if (tree === null) return undefined;
  if (typeof tree === 'string') return tree;
  if (tree instanceof TypedScalar) return tree.text;
  throw wrongType(tree, `Go struct field ${field} of type string`);
}

function wrongType(tree: Exclude<YamlTree, null>, place: string): YamlError {
  return new YamlError(
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonKind(tree)} into ${place}`,
  );
}

function jsonKind(tree: Exclude<YamlTree, null>): string {
  if (tree instanceof Map) return 'object';
  if (Array.isArray(tree)) return 'array';
  if (typeof tree === 'string') return 'string';
  return typeof (tree instanceof TypedScalar ? tree.value : tree) === 'boolean' ? 'bool' : 'number';
}
