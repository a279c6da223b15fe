import { nodeWeight, TextSize } from '../go/limit-error.ts';

/** The text being written and where on its line it stands. */
export class Output {
  text = '';
  /** Characters of the current line. */
  column = 0;
  /** The indentation of a line that starts now. */
  indent = 0;
  /** Past this column a space may become a line break. */
  readonly width: number;
  /** Whether the last thing written was a space that separates. */
  #separated = true;
  readonly #size = new TextSize();
  /** Whether the line has nothing but indentation and dashes. */
  #fresh = true;

  constructor(width: number) {
    this.width = width;
  }

  /** Counts a map or list. */
  openCollection(): void {
    this.#size.add(nodeWeight);
  }

  /** Adds text without a line break. */
  put(text: string): void {
    this.#size.add(text.length);
    this.text += text;
    this.column += countCharacters(text);
  }

  /** Adds the space that keeps the next thing apart from the last one. */
  separate(): void {
    if (!this.#separated) this.put(' ');
    this.#fresh = false;
  }

  /** Notes that a scalar ended here. */
  endScalar(): void {
    this.#separated = false;
    this.#fresh = false;
  }

  /** Adds a colon after a key. */
  colon(): void {
    this.put(':');
    this.endScalar();
  }

  /** Adds `-`, `?` or a `:` of its own at the start of an entry. */
  mark(mark: '-' | '?' | ':'): void {
    if (!this.#separated) this.put(' ');
    this.put(mark);
    this.#separated = false;
  }

  /** Starts a line at the current indentation, unless that is where the output stands. */
  breakLine(): void {
    if (!this.#fresh || this.column > this.indent || (this.column === this.indent && !this.#separated))
      this.putBreak('\n');
    if (this.column < this.indent) this.put(' '.repeat(this.indent - this.column));
    this.#separated = true;
    this.#fresh = true;
  }

  /** Adds a line break as it is. */
  putBreak(lineBreak: string): void {
    this.text += lineBreak;
    this.column = 0;
    this.#fresh = true;
  }

  /** Adds the lines of a literal block, each but the empty ones indented. */
  literalLines(text: string): void {
    const margin = ' '.repeat(this.indent);
    this.#size.add(text.length);
    this.text += `\n${text.replace(/^(?=[^\n\r\x85\u2028\u2029])/gm, margin)}`;
    const last = /[^\n\r\x85\u2028\u2029]*$/.exec(text)?.[0] ?? '';
    this.column = last === '' ? 0 : this.indent + last.length;
    this.#separated = true;
    this.#fresh = last === '';
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
