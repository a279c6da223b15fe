import { Buffer } from 'node:buffer';
import { fromBytes } from '../go/text.ts';
import type { ScalarNode, YamlNode } from './node.ts';
import type { Resolved } from './resolve.ts';
import { resolvePlain } from './resolve.ts';
import { YamlError } from './yaml-error.ts';

const resolvable = new Set(['str', 'bool', 'int', 'float', 'null', 'timestamp']);

const coreTagPrefix = 'tag:yaml.org,2002:';

/** Returns the name of a YAML core tag, such as `int`; undefined for any other tag. */
function coreTag(tag: string): string | undefined {
  return tag.startsWith(coreTagPrefix) ? tag.slice(coreTagPrefix.length) : undefined;
}

/** Resolves a scalar by its tag, or by its text if it is plain. */
export function resolveScalar({ text, tag, plain }: ScalarNode): Resolved {
  if (tag === '') return plain ? resolvePlain(text) : { tag: 'str', value: text };
  const core = coreTag(tag);
  if (core === 'binary') return { tag: 'str', value: decodeBinary(text) };
  if (core === undefined || core === 'str' || !resolvable.has(core)) return { tag: 'str', value: text };
  const resolved = resolvePlain(text, core === 'timestamp');
  if (resolved.tag === core) return resolved;
  if (resolved.tag === 'int' && core === 'float' && resolved.value < 1n << 63n)
    return { tag: 'float', value: Number(resolved.value) };
  throw new YamlError(`yaml: cannot decode !!${resolved.tag} \`${text}\` as a !!${core}`);
}

function decodeBinary(text: string): string {
  const packed = text.replace(/[\r\n]/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(packed)) {
    throw new YamlError('yaml: !!binary value contains invalid base64 data');
  }
  return fromBytes(Buffer.from(packed, 'base64')).toWellFormed();
}

/** Whether a key merges other mappings into its own. */
export function isMergeKey(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.text === '<<' && (node.plain || coreTag(node.tag) === 'merge');
}
