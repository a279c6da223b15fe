import { decodeYamlTree, goString, goStringMap, goStruct } from '../../yaml/decode-struct.ts';
import { readTypedYaml } from '../../yaml/read.ts';

/** The fields of a manifest that decide how Helm handles it. A missing text is empty, as in Go. */
export interface ManifestHead {
  apiVersion: string;
  kind: string;
  name: string;
  annotations: ReadonlyMap<string, string>;
}

/** Helm's `SimpleHead` (pkg/release/v1/util/manifest.go). */
const simpleHead = goStruct('util.SimpleHead', {
  apiVersion: goString,
  kind: goString,
  metadata: goStruct(
    'struct { Name string "json:\\"name\\""; Annotations map[string]string "json:\\"annotations\\"" }',
    { name: goString, annotations: goStringMap },
  ),
});

/**
 * Reads the head of a manifest. Throws YamlError with Go's text for the first field of a wrong
 * type.
 */
export function readHead(manifest: string): ManifestHead {
  const { apiVersion, kind, metadata } = decodeYamlTree(readTypedYaml(manifest), simpleHead);
  return { apiVersion, kind, ...metadata };
}
