import { decodeYamlTree, goSlice, goStringMap, goStruct } from '../yaml/decode-struct.ts';
import { readTypedYaml } from '../yaml/read.ts';
import { YamlError } from '../yaml/yaml-error.ts';
import type { ObjectHead } from './object-head.ts';

const resourcePolicy = 'helm.sh/resource-policy';

/**
 * Helm's anonymous struct for a List (pkg/chart/v2/lint/rules/template.go:
 * validateListAnnotations).
 */
const metadata = goStruct('struct { Annotations map[string]string }', { Annotations: goStringMap });
const item = goStruct(`struct { Metadata ${metadata.name} }`, { Metadata: metadata });
const items = goSlice(item);
const list = goStruct(`struct { Items ${items.name} }`, { Items: items });

/**
 * Returns the problem of a List whose items have Helm's resource policy, which Helm ignores there.
 * Only the first object of a file is checked, as in Helm.
 */
export function listAnnotationProblem({ kind }: ObjectHead, text: string): string | undefined {
  if (kind !== 'List') return undefined;
  try {
    const { Items } = decodeYamlTree(readTypedYaml(text), list);
    return Items.some(({ Metadata }) => Metadata.Annotations.has(resourcePolicy))
      ? `annotation '${resourcePolicy}' within List objects are ignored`
      : undefined;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    return `unable to parse YAML: ${error.message}`;
  }
}
