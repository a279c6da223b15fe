/** Reads a text character by character, as Go reads runes. */
export class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads and returns the next character; undefined at the end. */
  read(): string | undefined {
    const rune = this.peek();
    this.#at += rune?.length ?? 0;
    return rune;
  }

  /** Returns the next character without reading it; undefined at the end. */
  peek(): string | undefined {
    const point = this.#text.codePointAt(this.#at);
    return point === undefined ? undefined : String.fromCodePoint(point);
  }

  /** Reads a value with a function that takes the text and an offset, and returns the one after. */
  readWith<T>(read: (text: string, start: number) => { value: T; end: number }): T {
    const { value, end } = read(this.#text, this.#at);
    this.#at = end;
    return value;
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
