import { Buffer } from 'node:buffer';
import type { ScalarEvent } from 'js-yaml';
import { fromBytes } from '../go/text.ts';
import { coreTag, isPlain, scalarText, tagOf } from './events.ts';
import type { EventStream } from './events.ts';
import { resolvePlain } from './resolve.ts';
import type { Resolved } from './resolve.ts';
import { YamlError } from './yaml-error.ts';

const resolvable = new Set(['str', 'bool', 'int', 'float', 'null', 'timestamp']);

/** What a scalar means, by its tag or, where it is plain, by its text. */
export function resolveScalar(stream: EventStream, event: ScalarEvent): Resolved {
  const text = scalarText(stream, event);
  const tag = tagOf(stream, event);
  if (tag === '') return isPlain(event) ? resolvePlain(text) : { tag: 'str', value: text };
  const core = coreTag(tag);
  if (core === 'binary') return { tag: 'str', value: decodeBinary(text) };
  if (core === undefined || core === 'str' || !resolvable.has(core)) return { tag: 'str', value: text };
  const resolved = resolvePlain(text);
  if (resolved.tag === core) return resolved;
  if (resolved.tag === 'int' && core === 'float') return { tag: 'float', value: Number(resolved.value) };
  throw new YamlError(`yaml: cannot decode !!${resolved.tag} \`${text}\` as a !!${core}`);
}

function decodeBinary(text: string): string {
  const packed = text.replace(/[\r\n]/g, '');
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(packed)) {
    throw new YamlError('yaml: !!binary value contains invalid base64 data');
  }
  return fromBytes(Buffer.from(packed, 'base64')).toWellFormed();
}

/** Whether a scalar is the key that merges other mappings into its own. */
export function isMergeKey(stream: EventStream, event: ScalarEvent): boolean {
  if (scalarText(stream, event) !== '<<') return false;
  const tag = tagOf(stream, event);
  return tag === '' ? isPlain(event) : tag === '!' || coreTag(tag) === 'merge';
}
