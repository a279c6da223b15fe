import { readLines } from './lines.ts';

/**
 * Yields the lines of a stream of text, the last one also without a line break. A line keeps only
 * its first `maxLength` UTF-16 units. Reads the stream only as fast as lines are consumed.
 */
export async function* readTextLines(
  chunks: AsyncIterable<Uint8Array>,
  maxLength: number,
): AsyncGenerator<string, void, undefined> {
  const shortened = (text: string) => text.slice(0, maxLength);
  for await (const { text } of readLines(chunks, shortened)) yield shortened(text);
}
