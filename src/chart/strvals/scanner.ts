/** Reads a text character by character, as Go reads runes. */
export class Scanner {
  readonly #runes: readonly string[];
  #position = 0;

  constructor(text: string) {
    this.#runes = Array.from(text);
  }

  /** The next character, which counts as read; undefined at the end. */
  read(): string | undefined {
    return this.#runes[this.#position++];
  }

  /** The next character, which stays unread; undefined at the end. */
  peek(): string | undefined {
    return this.#runes[this.#position];
  }

  /** What is still unread. */
  rest(): string {
    return this.#runes.slice(this.#position).join('');
  }

  /** Leaves unread only `rest`, an end of what was unread. */
  skipTo(rest: string): void {
    this.#position = this.#runes.length - Array.from(rest).length;
  }

  /**
   * Reads up to one of the characters `stops` and over it. `stop` is undefined where the text ended before.
   * Where `quoting`, a backslash makes the next character a plain one.
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
