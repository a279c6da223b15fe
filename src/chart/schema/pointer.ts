import { fromBytes } from '../../go/text.ts';
import { isMap } from '../../go/types.ts';
import type { Value } from '../../go/value.ts';

/** Appends steps to a JSON pointer. */
export function pointerTo(pointer: string, ...steps: readonly (string | number)[]): string {
  return steps.reduce<string>((path, step) => `${path}/${escapeStep(String(step))}`, pointer);
}

function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Returns the JSON pointer of a path. */
export function pointerOf(path: readonly string[]): string {
  return pointerTo('', ...path);
}

/** Returns the value at a pointer, or undefined if there is none. */
export function lookUp(document: Value, pointer: string): Value | undefined {
  let current: Value | undefined = document;
  for (const step of pointer.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isMap(current)) current = current.get(key);
    else if (Array.isArray(current))
      current = /^\d+$/.test(key) ? (current as readonly Value[])[Number(key)] : undefined;
    else return undefined;
  }
  return current;
}

/** Encodes a pointer for use as a URL fragment. */
export function encodePointer(pointer: string): string {
  return pointer
    .split('/')
    .map((step) => encodeURIComponent(step.toWellFormed()).replace(/%(?:24|26|2B|3A|3D|40)/g, decodeURIComponent))
    .join('/');
}

/** Decodes the `%` escapes of a URL. The result may be invalid UTF-8. */
export function unescapeUrl(text: string): string {
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (escapes) => fromBytes(Buffer.from(escapes.replaceAll('%', ''), 'hex')));
}
