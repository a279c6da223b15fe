import type { Terminal } from '../../cli/dependencies.ts';
import { cut } from '../../cli/table.ts';

/** Sentences that become true one after the other, with lines about each. */
export interface Story {
  /** Begins a sentence. The one before is done. */
  begin(sentence: string): void;
  /** Adds lines below the sentence. */
  tell(...lines: string[]): void;
  /** Shows lines below the sentence until the next ones. Shown only on a terminal. */
  showNow(lines: readonly string[]): void;
  /** Marks the last sentence as done. */
  end(): void;
}

interface Sentence {
  text: string;
  lines: string[];
}

/** Returns a story: one screen that is drawn again on a terminal, and lines elsewhere. */
export function createStory(terminal: Terminal): Story {
  return terminal.isTerminal ? new DrawnStory(terminal) : new PrintedStory(terminal);
}

class PrintedStory implements Story {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  begin(sentence: string): void {
    this.#terminal.write(`${sentence}\n`);
  }

  tell(...lines: string[]): void {
    this.#terminal.write(lines.map((line) => `    ${line}\n`).join(''));
  }

  showNow(): void {
    // a line for each change would be long
  }

  end(): void {
    // each line is written already
  }
}

class DrawnStory implements Story {
  readonly #terminal: Terminal;
  readonly #sentences: Sentence[] = [];
  #now: readonly string[] = [];
  #isDone = false;
  #drawn = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  begin(text: string): void {
    this.#sentences.push({ text, lines: [] });
    this.#isDone = false;
    this.showNow([]);
  }

  tell(...lines: string[]): void {
    this.#sentences.at(-1)?.lines.push(...lines);
    this.showNow([]);
  }

  showNow(lines: readonly string[]): void {
    this.#now = lines;
    this.#draw();
  }

  end(): void {
    this.#isDone = true;
    this.showNow([]);
  }

  #draw(): void {
    const { columns, rows } = this.#terminal;
    const told = this.#sentences.flatMap(({ text, lines }, index) => {
      const sign = this.#isDone || index < this.#sentences.length - 1 ? '✓' : '●';
      return [`${sign} ${text}`, ...lines.flatMap((line) => wrapped(line, columns - 4)).map((line) => `    ${line}`)];
    });
    // the last line of a terminal stays free, for the cursor
    const room = Math.max(0, rows - 1 - told.length);
    const now = this.#now.slice(0, room).map((line) => `    ${line}`);
    const lines = [...told, ...now].slice(-(rows - 1)).map((line) => cut(line, columns));
    this.#terminal.erase(this.#drawn);
    this.#terminal.write(lines.map((line) => `${line}\n`).join(''));
    this.#drawn = lines.length;
  }
}

/** Breaks a line at spaces. A word that is longer than the width stays whole. */
function wrapped(line: string, width: number): string[] {
  const [start = ''] = /^ */.exec(line) ?? [];
  const lines: string[] = [];
  for (const word of line.trim().split(/(?<= )(?=\S)/)) {
    const last = lines.at(-1);
    if (last !== undefined && (last + word).trimEnd().length <= width) lines[lines.length - 1] = last + word;
    else lines.push(start + word);
  }
  return lines.map((each) => each.trimEnd());
}
