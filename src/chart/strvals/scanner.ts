/** Reads a text character by character, as Go reads runes. */
export class Scanner {
  readonly #runes: readonly string[];
  #position = 0;

  constructor(text: string) {
    this.#runes = Array.from(text);
  }

  /** Reads and returns the next character; undefined at the end. */
  read(): string | undefined {
    return this.#runes[this.#position++];
  }

  /** Returns the next character without reading it; undefined at the end. */
  peek(): string | undefined {
    return this.#runes[this.#position];
  }

  /** Returns the unread text. */
  rest(): string {
    return this.#runes.slice(this.#position).join('');
  }

  /** Skips everything before `rest`, which must be the end of the unread text. */
  skipTo(rest: string): void {
    this.#position = this.#runes.length - Array.from(rest).length;
  }

  /**
   * Reads up to and including one of the characters in `stops`. `stop` is undefined if the text
   * ends first. If `quoting` is set, a backslash escapes the next character.
   */
  until(stops: string, quoting: boolean): { text: string; stop: string | undefined } {
    let text = '';
    for (;;) {
      const rune = this.read();
      if (rune === undefined || stops.includes(rune)) return { text, stop: rune };
      if (rune !== '\\' || !quoting) {
        text += rune;
        continue;
      }
      const next = this.read();
      if (next === undefined) return { text, stop: undefined };
      text += next;
    }
  }
}
