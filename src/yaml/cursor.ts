import { code, isBlank, isBlankOrEnd, isBreakOrEnd } from './character.ts';
import type { YamlText } from './reader.ts';
import { YamlError } from './yaml-error.ts';

/** A position in a text, and the context that decides how the text there is read. */
export class Cursor {
  /** The text, followed by one character 0. */
  readonly text: string;
  /** Offset of the next character. */
  at = 0;
  /** Line of that offset, from 0. */
  line = 0;
  /** Offset of the start of that line. */
  lineStart = 0;
  /** Column of the innermost block collection; -1 outside of all. */
  indent = -1;
  flowLevel = 0;
  /** Whether a simple key may begin here. */
  isKeyAllowed = true;
  protected readonly problem: YamlError | undefined;

  constructor(input: YamlText) {
    this.text = `${input.text}\0`;
    this.problem = input.problem;
  }

  /** Returns the UTF-16 unit `ahead` places after the offset; 0 at the end of the text. */
  unit(ahead = 0): number {
    return this.text.charCodeAt(this.at + ahead);
  }

  column(): number {
    return this.at - this.lineStart;
  }

  /** Throws an error at the current position. */
  fail(problem: string): never {
    this.failAt(this.line === 0 ? 0 : this.line + 1, problem);
  }

  /**
   * Throws an error about the order of tokens, at a line. go-yaml counts the lines of such errors
   * from 0, and does not mention line 0.
   */
  failAt(line: number, problem: string): never {
    // go-yaml reads four characters ahead, and reports invalid characters first
    if (this.problem !== undefined && this.at + 4 >= this.text.length) throw this.problem;
    throw line === 0 ? new YamlError(`yaml: ${problem}`, 1) : new YamlError(`yaml: line ${line}: ${problem}`, line);
  }

  /** Skips a line break; `\r\n` is one line break. */
  skipBreak(): void {
    this.at += this.unit() === code.carriageReturn && this.unit(1) === code.lineFeed ? 2 : 1;
    this.line++;
    this.lineStart = this.at;
  }

  /** Skips a line break, and returns its value in a scalar. */
  readBreak(): string {
    const unit = this.unit();
    this.skipBreak();
    return unit === 0x2028 || unit === 0x2029 ? String.fromCharCode(unit) : '\n';
  }

  /** Skips a comment up to the end of the line, if there is one. */
  skipComment(): void {
    if (this.unit() === code.hash) this.skipLine();
  }

  /** Skips to the end of the line. */
  skipLine(): void {
    const { text } = this;
    let { at } = this;
    while (!isBreakOrEnd(text.charCodeAt(at))) at++;
    this.at = at;
  }

  skipBlanks(): void {
    while (isBlank(this.unit())) this.at++;
  }

  /** Whether a document marker, `---` or `...`, starts here. */
  isAtDocumentMarker(): boolean {
    if (this.at !== this.lineStart) return false;
    const unit = this.unit();
    return (
      (unit === code.minus || unit === code.dot) &&
      this.unit(1) === unit &&
      this.unit(2) === unit &&
      isBlankOrEnd(this.unit(3))
    );
  }
}
