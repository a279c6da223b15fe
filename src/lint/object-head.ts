import type { Value } from '../go/value.ts';
import type { YamlTree } from '../yaml/compose.ts';
import { decodeJsonTree, decodeYamlTree, goString, goStruct, type GoType } from '../yaml/decode-struct.ts';
import { readTypedYaml } from '../yaml/read.ts';

/** The fields of an object that linting checks. A missing text is empty, as in Go. */
export interface ObjectHead {
  apiVersion: string;
  kind: string;
  name: string;
}

/** Helm's `k8sYamlStruct` (pkg/chart/v2/lint/rules/template.go). */
const objectStruct = goStruct('rules.k8sYamlStruct', {
  apiVersion: goString,
  Kind: goString,
  Metadata: goStruct('rules.k8sYamlMetadata', { Namespace: goString, Name: goString }),
});

/** Reads the head of a YAML document; undefined if the document is empty. Throws YamlError. */
export function readObjectHead(text: string): ObjectHead | undefined {
  const tree = readTypedYaml(text);
  return tree === null ? undefined : toObjectHead(decodeYamlTree(tree, objectStruct));
}

/** Reads the head of a JSON value, in which a number is not a string. Throws YamlError. */
export function readJsonHead(value: Value): ObjectHead | undefined {
  // JSON values are made of maps, lists, texts, numbers, booleans and null only
  return value === null ? undefined : toObjectHead(decodeJsonTree(value as YamlTree, objectStruct));
}

type DecodedObject = typeof objectStruct extends GoType<infer T> ? T : never;

function toObjectHead({ apiVersion, Kind, Metadata }: DecodedObject): ObjectHead {
  return { apiVersion, kind: Kind, name: Metadata.Name };
}
