/** A line of a stream, without its line break. Only the last one may be incomplete: it has none. */
interface Line {
  text: string;
  isComplete: boolean;
}

/**
 * Yields the lines of a stream of text. Reads the stream only as fast as lines are consumed.
 * `bound` limits a line whose end was not read yet.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  bound: (text: string) => string,
): AsyncGenerator<Line, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      yield { text: rest + text.slice(start, end), isComplete: true };
      rest = '';
      start = end + 1;
    }
    rest = bound(rest + text.slice(start));
  }
  if (rest !== '') yield { text: rest, isComplete: false };
}
