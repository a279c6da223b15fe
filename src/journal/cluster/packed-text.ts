import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const compress = promisify(gzip);
const uncompress = promisify(gunzip);

/** More than the largest packet, so that what was stored can be read. */
const maxTextBytes = 64 * 1024 * 1024;

/** Returns a text in its compressed form. */
export async function pack(text: string): Promise<Buffer> {
  return await compress(text);
}

/** Returns the text that {@link pack} has compressed. */
export async function unpack(packed: Buffer): Promise<string> {
  return (await uncompress(packed, { maxOutputLength: maxTextBytes })).toString();
}

/** Returns the base64 of consecutive parts with at most `size` bytes. */
export function partsOf(packed: Buffer, size: number): string[] {
  const parts: string[] = [];
  for (let start = 0; start < packed.length; start += size) {
    parts.push(packed.subarray(start, start + size).toString('base64'));
  }
  return parts;
}

/** Returns the bytes of parts in base64. */
export function joined(parts: readonly string[]): Buffer {
  return Buffer.concat(parts.map((part) => Buffer.from(part, 'base64')));
}
