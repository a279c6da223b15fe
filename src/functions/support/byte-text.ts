import { Buffer } from 'node:buffer';
import { fromBytes, isAscii, toBytes } from '../../go/text.ts';
import { GoError } from '../../go/value.ts';

/** Returns a text with one character per byte, so that JavaScript's offsets are Go's. */
export function toByteText(text: string): string {
  return isAscii(text) ? text : Buffer.from(toBytes(text)).toString('latin1');
}

/** Reverses {@link toByteText}. */
export function fromByteText(bytes: string): string {
  return isAscii(bytes) ? bytes : fromBytes(Buffer.from(bytes, 'latin1'));
}

/** Runs a function on texts as they are, or on their bytes if one of them is not valid UTF-8. */
export function onBytesIfNeeded<T extends string | boolean | string[]>(
  run: (...texts: string[]) => T,
  ...texts: string[]
): T {
  if (texts.every((text) => text.isWellFormed())) return run(...texts);
  const result: string | boolean | string[] = run(...texts.map(toByteText));
  // the result has the shape that `run` gives it
  if (typeof result === 'string') return fromByteText(result) as T;
  return (Array.isArray(result) ? result.map(fromByteText) : result) as T;
}

/**
 * Go's `text[from:to]` of a byte text, with Go's panics as errors. Default of `to`: the end of the
 * text.
 */
export function sliceChecked(bytes: string, from: number | undefined, to: number | undefined): string {
  const end = to ?? bytes.length;
  if (end < 0) throw outOfRange(`:${end}`);
  if (end > bytes.length) throw outOfRange(`:${end}`, bytes.length);
  if (from !== undefined && from > end) throw outOfRange(`${from}:${end}`);
  return bytes.slice(from ?? 0, end);
}

function outOfRange(range: string, length?: number): GoError {
  const suffix = length === undefined ? '' : ` with length ${length}`;
  return new GoError(`runtime error: slice bounds out of range [${range}]${suffix}`);
}
