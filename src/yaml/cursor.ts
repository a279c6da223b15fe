import { isBlank, isBlankOrEnd, isBreakOrEnd } from './character.ts';
import type { Source } from './reader.ts';
import { YamlError } from './yaml-error.ts';

/** A place in a text, and what around it decides how the text is read there. */
export class Cursor {
  /** The text, and after it one character 0. */
  readonly text: string;
  /** The place of what is read next. */
  at = 0;
  /** The line of that place, from 0. */
  line = 0;
  /** Where that line starts. */
  lineStart = 0;
  /** The column of the innermost block collection; -1 outside of all. */
  indent = -1;
  flowLevel = 0;
  /** Whether a simple key may begin here. */
  keyAllowed = true;
  protected readonly problem: YamlError | undefined;

  constructor(source: Source) {
    this.text = `${source.text}\0`;
    this.problem = source.problem;
  }

  /** The unit so many places on; 0 at the end of the text. */
  unit(ahead = 0): number {
    return this.text.charCodeAt(this.at + ahead);
  }

  column(): number {
    return this.at - this.lineStart;
  }

  /** Throws what is wrong at the current place. */
  fail(problem: string): never {
    this.failAt(this.line === 0 ? 0 : this.line + 1, problem);
  }

  /** Throws what is wrong with the order of tokens: go-yaml counts the lines of such errors from 0, and does not name line 0. */
  failAt(line: number, problem: string): never {
    // go-yaml reads four characters ahead, and complains of what no YAML may contain first
    if (this.problem !== undefined && this.at + 4 >= this.text.length) throw this.problem;
    throw line === 0 ? new YamlError(`yaml: ${problem}`, 1) : new YamlError(`yaml: line ${line}: ${problem}`, line);
  }

  /** Goes over a line break: `\r\n` is one. */
  skipBreak(): void {
    this.at += this.unit() === 13 && this.unit(1) === 10 ? 2 : 1;
    this.line++;
    this.lineStart = this.at;
  }

  /** Goes over a line break and answers what it means in a scalar. */
  readBreak(): string {
    const unit = this.unit();
    this.skipBreak();
    return unit === 0x2028 || unit === 0x2029 ? String.fromCharCode(unit) : '\n';
  }

  /** Goes over the rest of a line where it is a comment. */
  skipComment(): void {
    if (this.unit() === 35) this.skipLine();
  }

  /** Goes to the end of the line. */
  skipLine(): void {
    const { text } = this;
    let { at } = this;
    while (!isBreakOrEnd(text.charCodeAt(at))) at++;
    this.at = at;
  }

  skipBlanks(): void {
    while (isBlank(this.unit())) this.at++;
  }

  /** Whether a line `---` or `...` starts here. */
  atDocumentMark(): boolean {
    if (this.at !== this.lineStart) return false;
    const unit = this.unit();
    return (unit === 45 || unit === 46) && this.unit(1) === unit && this.unit(2) === unit && isBlankOrEnd(this.unit(3));
  }
}
