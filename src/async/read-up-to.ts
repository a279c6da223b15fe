/**
 * Reads a stream until it has more than a number of bytes, and then ends it. The bytes include
 * those that are too many, up to the end of their chunk.
 */
export async function readUpTo(
  stream: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ content: Buffer; isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  return { content: Buffer.concat(chunks), isWhole: bytes <= maxBytes };
}
