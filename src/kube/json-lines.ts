/**
 * Maximum length of a line. A watch event is shorter: the API server refuses objects of a few MiB.
 */
const maxLineLength = 64 * 1024 * 1024;

/**
 * Yields the JSON values of a stream that has one on each line. Reads the stream only as fast as
 * values are consumed. An incomplete last line is dropped.
 */
export async function* readJsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = rest + text.slice(start, end);
      rest = '';
      start = end + 1;
      if (line.trim() !== '') yield JSON.parse(line) as unknown;
    }
    rest += text.slice(start);
    if (rest.length > maxLineLength) throw new Error(`a line of more than ${maxLineLength} characters`);
  }
}
