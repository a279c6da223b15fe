/** A line longer than this is no watch event: the API server refuses objects of a few MiB. */
const longestLine = 64 * 1024 * 1024;

/** The JSON values of a stream that has one on each line. Reads on only as its reader does; a line that the stream's end cuts off is dropped. */
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
    if (rest.length > longestLine) throw new Error(`a line of more than ${longestLine} characters`);
  }
}
