import { TomlError } from './error.ts';

/** What {@link TomlScanner.next} answers at the end of the text. */
export const end = '\0';

/** Reads a TOML text character by character, and knows the line. */
export class TomlScanner {
  /** The key that is being read, for errors. */
  lastKey: () => string = () => '';
  private readonly text: string;
  private readonly steps: number[] = [];
  private at = 0;
  private lineNumber = 1;
  private atEnd = false;

  constructor(text: string) {
    this.text = text;
  }

  /** The line of the next character, from 1. */
  get line(): number {
    return this.lineNumber;
  }

  get position(): number {
    return this.at;
  }

  /** The text from a position to here. */
  since(start: number): string {
    return this.text.slice(start, this.at);
  }

  /** Takes one character. */
  next(): string {
    const point = this.text.codePointAt(this.at);
    if (point === undefined) {
      this.atEnd = true;
      return end;
    }
    const character = String.fromCodePoint(point);
    if (character === '\n') this.lineNumber++;
    if (point >= 0xd800 && point <= 0xdfff) this.fail(`invalid UTF-8 byte: 0x${(point & 0xff).toString(16)}`);

    if (/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(character) || (character === '\r' && this.text[this.at + 1] !== '\n')) {
      this.fail(`TOML files cannot contain control characters: '0x${point.toString(16).padStart(2, '0')}'`);
    }
    this.at += character.length;
    this.steps.push(character.length);
    return character;
  }

  /** Goes back over the last character. */
  back(): void {
    if (this.atEnd) {
      this.atEnd = false;
      return;
    }
    this.at -= this.steps.pop() ?? 0;
    if (this.text[this.at] === '\n') this.lineNumber--;
  }

  /** The next character, which is not taken. */
  peek(): string {
    const character = this.next();
    this.back();
    return character;
  }

  /** Takes the next character if it is that one. */
  accept(character: string): boolean {
    if (this.next() === character) return true;
    this.back();
    return false;
  }

  /** Takes characters as long as they are of that kind; looks at the one behind them too, so that it must be a legal one. */
  takeWhile(kind: RegExp): string {
    const start = this.at;
    while (kind.test(this.next()) && !this.atEnd);
    this.back();
    return this.since(start);
  }

  /** Takes a comment up to the end of its line. */
  skipComment(): void {
    this.takeWhile(/[^\r\n]/);
  }

  fail(problem: string): never {
    const afterLineEnd = this.atEnd && this.text[this.at - 1] === '\n';
    throw new TomlError(problem, this.lineNumber - (afterLineEnd ? 1 : 0), this.lastKey());
  }

  /** Fails on the line before: a line end that is in the wrong place was taken already. */
  failOnPreviousLine(problem: string): never {
    throw new TomlError(problem, this.lineNumber - 1, this.lastKey());
  }
}
