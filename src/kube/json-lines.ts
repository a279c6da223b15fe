import { readLines } from './lines.ts';

/**
 * Maximum length of a line. A watch event is shorter: the API server refuses objects of a few MiB.
 */
const maxLineLength = 64 * 1024 * 1024;

/**
 * Yields the JSON values of a stream that has one on each line. Reads the stream only as fast as
 * values are consumed. An incomplete last line is dropped.
 */
export async function* readJsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  for await (const { text, isComplete } of readLines(chunks, requireShort)) {
    if (isComplete && text.trim() !== '') yield JSON.parse(text) as unknown;
  }
}

function requireShort(text: string): string {
  if (text.length > maxLineLength) throw new Error(`a line of more than ${maxLineLength} characters`);
  return text;
}
