const chunkSize = 64 * 1024;

/**
 * Joins the texts of bytes, where `textOf` returns Latin-1. It formats each of the 256 byte values
 * only once, because charts can print files of many megabytes.
 */
export function printBytes(bytes: Uint8Array, textOf: (byte: number) => string, separator: string): string {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1;
  const texts = Array.from(counts, (count, byte) => (count === 0 ? '' : textOf(byte) + separator));
  const units = Buffer.from(texts.join(''), 'latin1');
  const ends = new Uint32Array(256);
  for (const [byte, text] of texts.entries()) ends[byte] = (ends[byte - 1] ?? 0) + text.length;

  const longest = Math.max(...texts.map(({ length }) => length));
  const chunk = Buffer.allocUnsafe(Math.min(bytes.length, chunkSize) * longest);
  let printed = '';
  for (let start = 0; start < bytes.length; start += chunkSize) {
    const stop = Math.min(start + chunkSize, bytes.length);
    let at = 0;
    for (let i = start; i < stop; i++) {
      const byte = bytes[i] ?? 0;
      const end = ends[byte] ?? 0;
      for (let unit = ends[byte - 1] ?? 0; unit < end; unit++) chunk[at++] = units[unit] ?? 0;
    }
    printed += chunk.toString('latin1', 0, stop === bytes.length ? at - separator.length : at);
  }
  return printed;
}
