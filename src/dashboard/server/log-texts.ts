import { LineDivider } from '../text/log-text.ts';
import type { LogRecord, RunCursor } from './log-records.ts';

/** Lines of a container, or a sentence about logs. */
export interface LogPart {
  /** The pod and the container. Undefined: it is a notice. */
  readonly source?: string;
  readonly lines: readonly string[];
}

/** The most containers whose last line is kept until its end arrives. */
const maxTexts = 1000;

/** Divides the logs of containers into lines. Each run of a container begins a new line. */
export class LogTexts {
  readonly #texts = new Map<string, ReturnType<typeof newText>>();

  /** Returns the lines that a record ends. */
  *add({ cursor, bytes }: LogRecord & { cursor: RunCursor }): Generator<LogPart> {
    const source = `${cursor.pod}/${cursor.container}`;
    let text = this.#texts.get(source);
    if (text && !isSameRun(text.cursor, cursor)) {
      yield { source, lines: text.lines.end() };
      text = undefined;
    }
    text ??= newText(cursor);
    this.#texts.set(source, text);
    yield { source, lines: text.lines.add(text.decoder.decode(bytes, { stream: true })) };
    const [oldest] = this.#texts;
    if (!oldest || this.#texts.size <= maxTexts) return;
    yield { source: oldest[0], lines: oldest[1].lines.end() };
    this.#texts.delete(oldest[0]);
  }

  /** Returns the last lines that have no end. */
  *end(): Generator<LogPart> {
    for (const [source, { lines }] of this.#texts) yield { source, lines: lines.end() };
  }
}

function newText(cursor: RunCursor) {
  return { cursor, decoder: new TextDecoder(), lines: new LineDivider() };
}

function isSameRun(one: RunCursor, other: RunCursor): boolean {
  return one.uid === other.uid && one.run === other.run;
}
