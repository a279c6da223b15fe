/**
 * The texts of bytes, joined. What `textOf` makes of a byte is Latin-1. A chart that prints its files has megabytes of bytes, but
 * a byte has 256 values only.
 */
export function printBytes(bytes: Uint8Array, textOf: (byte: number) => string, separator: string): string {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1;
  const texts = Array.from(counts, (count, byte) => (count === 0 ? '' : textOf(byte) + separator));
  const units = Buffer.from(texts.join(''), 'latin1');
  const ends = new Uint32Array(256);
  let size = 0;
  texts.forEach((text, byte) => {
    ends[byte] = (ends[byte - 1] ?? 0) + text.length;
    size += text.length * (counts[byte] ?? 0);
  });
  const joined = Buffer.allocUnsafe(size);
  let at = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    const end = ends[byte] ?? 0;
    for (let unit = ends[byte - 1] ?? 0; unit < end; unit++) joined[at++] = units[unit] ?? 0;
  }
  return joined.toString('latin1', 0, Math.max(size - separator.length, 0));
}
