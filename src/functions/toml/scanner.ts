import { TomlError } from './error.ts';

/** Returned by {@link TomlScanner.next} at the end of the text. */
export const end = '\0';

/** Reads TOML character by character and counts lines. */
export class TomlScanner {
  /** Returns the current key, for errors. */
  lastKey: () => string = () => '';
  readonly #text: string;
  readonly #steps: number[] = [];
  #at = 0;
  #lineNumber = 1;
  #atEnd = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Line of the next character, from 1. */
  get line(): number {
    return this.#lineNumber;
  }

  get position(): number {
    return this.#at;
  }

  /** Returns the text from `start` to the current position. */
  since(start: number): string {
    return this.#text.slice(start, this.#at);
  }

  /** Reads one character. */
  next(): string {
    const point = this.#text.codePointAt(this.#at);
    if (point === undefined) {
      this.#atEnd = true;
      return end;
    }
    const character = String.fromCodePoint(point);
    if (character === '\n') this.#lineNumber++;
    if (point >= 0xd800 && point <= 0xdfff) this.fail(`invalid UTF-8 byte: 0x${(point & 0xff).toString(16)}`);

    if (/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(character) || (character === '\r' && this.#text[this.#at + 1] !== '\n')) {
      this.fail(`TOML files cannot contain control characters: '0x${point.toString(16).padStart(2, '0')}'`);
    }
    this.#at += character.length;
    this.#steps.push(character.length);
    return character;
  }

  /** Moves back by one character. */
  back(): void {
    if (this.#atEnd) {
      this.#atEnd = false;
      return;
    }
    this.#at -= this.#steps.pop() ?? 0;
    if (this.#text[this.#at] === '\n') this.#lineNumber--;
  }

  /** Returns the next character without reading it. */
  peek(): string {
    const character = this.next();
    this.back();
    return character;
  }

  /** Reads the next character if it is `character`, and reports whether it was. */
  accept(character: string): boolean {
    if (this.next() === character) return true;
    this.back();
    return false;
  }

  /**
   * Reads characters while they match `kind`. The character after them is checked too, so it must
   * be legal.
   */
  takeWhile(kind: RegExp): string {
    const start = this.#at;
    while (kind.test(this.next()) && !this.#atEnd);
    this.back();
    return this.since(start);
  }

  /** Skips a comment up to the end of its line. */
  skipComment(): void {
    this.takeWhile(/[^\r\n]/);
  }

  fail(problem: string): never {
    const afterLineEnd = this.#atEnd && this.#text[this.#at - 1] === '\n';
    throw new TomlError(problem, this.#lineNumber - (afterLineEnd ? 1 : 0), this.lastKey());
  }

  /** Fails on the previous line, when a misplaced line break has already been read. */
  failOnPreviousLine(problem: string): never {
    throw new TomlError(problem, this.#lineNumber - 1, this.lastKey());
  }
}
