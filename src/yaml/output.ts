import { nodeWeight, TextSize } from '../go/limit-error.ts';

const lineBreak = /[\n\r\x85\u2028\u2029]/;

/** The text written so far, and the position on its last line. */
export class Output {
  text = '';
  /** Number of characters on the current line. */
  column = 0;
  /** Indentation of a line that starts now. */
  indent = 0;
  /** Column beyond which a space may become a line break. */
  readonly width: number;
  /** Whether the text ends with a separating space. */
  #isSeparated = true;
  readonly #size = new TextSize();
  /** Whether the line contains only indentation and dashes. */
  #isLineEmpty = true;

  constructor(width: number) {
    this.width = width;
  }

  /** Counts a map or list towards the size limit. */
  openCollection(): void {
    this.#size.add(nodeWeight);
  }

  /** Appends text without a line break. */
  put(text: string): void {
    this.#size.add(text.length);
    this.text += text;
    this.column += countCharacters(text);
  }

  /** Appends a space if the next item needs one. */
  separate(): void {
    if (!this.#isSeparated) this.put(' ');
    this.#isLineEmpty = false;
  }

  /** Marks the end of a scalar. */
  endScalar(): void {
    this.#isSeparated = false;
    this.#isLineEmpty = false;
  }

  /** Appends a colon after a key. */
  colon(): void {
    this.put(':');
    this.endScalar();
  }

  /** Appends `-`, `?` or a separate `:` at the start of an entry. */
  mark(mark: '-' | '?' | ':'): void {
    if (!this.#isSeparated) this.put(' ');
    this.put(mark);
    this.#isSeparated = false;
  }

  /** Starts a line at the current indentation, unless the output is already there. */
  breakLine(): void {
    if (!this.#isLineEmpty || this.column > this.indent || (this.column === this.indent && !this.#isSeparated))
      this.putBreak('\n');
    if (this.column < this.indent) this.put(' '.repeat(this.indent - this.column));
    this.#isSeparated = true;
    this.#isLineEmpty = true;
  }

  /** Appends a line break unchanged. */
  putBreak(lineBreak: string): void {
    this.text += lineBreak;
    this.column = 0;
    this.#isLineEmpty = true;
  }

  /** Appends the lines of a literal block, and indents all but empty ones. */
  literalLines(text: string): void {
    const margin = ' '.repeat(this.indent);
    this.#size.add(text.length);
    this.text += `\n${text.replace(/^(?=[^\n\r\x85\u2028\u2029])/gm, margin)}`;
    let start = text.length;
    while (start > 0 && !lineBreak.test(text.charAt(start - 1))) start--;
    const last = text.slice(start);
    this.column = last === '' ? 0 : this.indent + last.length;
    this.#isSeparated = true;
    this.#isLineEmpty = last === '';
  }
}

function countCharacters(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xdc00 && unit <= 0xdfff) count--;
  }
  return count;
}
