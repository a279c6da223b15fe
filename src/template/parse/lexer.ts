import { sprintf } from '../../go/fmt.ts';
import { quote } from '../../go/strconv.ts';
import { int } from '../../go/value.ts';
import { isKeyword, type Token, type TokenType } from './token.ts';

const leftDelimiter = '{{';
const rightDelimiter = '}}';
const endOfText = -1;
const leadingSpace = /[ \t\r\n]*/y;
const decimalDigits = '0123456789_';
const hexDigits = '0123456789abcdefABCDEF_';

/**
 * Splits a template into tokens, one at a time. An error is the last token: it is returned again
 * for every further call.
 */
export class Lexer {
  readonly #text: string;
  #pos = 0;
  #start = 0;
  #insideAction = false;
  #parenDepth = 0;
  #failure: Token | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the next token; at the end always `EOF`. */
  next(): Token {
    if (this.#failure !== undefined) return this.#failure;
    return this.#insideAction ? this.#action() : this.#outside();
  }

  #emit(type: TokenType): Token {
    const token = { type, pos: this.#start, value: this.#text.slice(this.#start, this.#pos) };
    this.#start = this.#pos;
    return token;
  }

  #fail(message: string): Token {
    this.#failure = { type: 'error', pos: this.#start, value: message };
    return this.#failure;
  }

  #skipTo(pos: number): void {
    this.#pos = pos;
    this.#start = pos;
  }

  #outside(): Token {
    for (;;) {
      const text = this.#plainText();
      if (text !== undefined) return text;
      if (this.#pos >= this.#text.length) return this.#emit('EOF');
      const comment = this.#leftTrimLength();
      if (!this.#text.startsWith('/*', this.#pos + 2 + comment)) return this.#leftDelimiter(comment);
      this.#skipTo(this.#pos + 2 + comment);
      const failure = this.#comment();
      if (failure !== undefined) return failure;
    }
  }

  /** Reads text up to the next action, without space trimmed by it; undefined if that is empty. */
  #plainText(): Token | undefined {
    const found = this.#text.indexOf(leftDelimiter, this.#pos);
    const end = found < 0 ? this.#text.length : found;
    this.#pos = end;
    if (found >= 0 && this.#hasLeftTrimMarker(found + 2)) {
      while (this.#pos > this.#start && isSpace(this.#text.charCodeAt(this.#pos - 1))) this.#pos--;
    }
    const token = this.#pos > this.#start ? this.#emit('text') : undefined;
    this.#skipTo(end);
    return token;
  }

  #hasLeftTrimMarker(pos: number): boolean {
    return this.#text[pos] === '-' && isSpace(this.#text.charCodeAt(pos + 1));
  }

  #leftTrimLength(): number {
    return this.#hasLeftTrimMarker(this.#pos + 2) ? 2 : 0;
  }

  #leftDelimiter(trimLength: number): Token {
    this.#pos += 2;
    const token = this.#emit('left delimiter');
    this.#skipTo(this.#pos + trimLength);
    this.#insideAction = true;
    this.#parenDepth = 0;
    return token;
  }

  #comment(): Token | undefined {
    const end = this.#text.indexOf('*/', this.#pos + 2);
    if (end < 0) return this.#fail('unclosed comment');
    this.#pos = end + 2;
    const trims = this.#isAtTrimmingRightDelimiter();
    if (!trims && !this.#isAtRightDelimiter()) return this.#fail('comment ends before closing delimiter');
    this.#skipTo(this.#pos + (trims ? 4 : 2));
    if (trims) this.#skipSpace();
    return undefined;
  }

  #skipSpace(): void {
    leadingSpace.lastIndex = this.#pos;
    leadingSpace.test(this.#text);
    this.#skipTo(leadingSpace.lastIndex);
  }

  #isAtRightDelimiter(): boolean {
    return this.#text.startsWith(rightDelimiter, this.#pos);
  }

  #isAtTrimmingRightDelimiter(pos = this.#pos): boolean {
    return (
      this.#text[pos + 1] === '-' &&
      isSpace(this.#text.charCodeAt(pos)) &&
      this.#text.startsWith(rightDelimiter, pos + 2)
    );
  }

  #rightDelimiter(): Token {
    const trims = this.#isAtTrimmingRightDelimiter();
    if (trims) this.#skipTo(this.#pos + 2);
    this.#pos += 2;
    const token = this.#emit('right delimiter');
    if (trims) this.#skipSpace();
    this.#insideAction = false;
    return token;
  }

  #action(): Token {
    if (this.#isAtRightDelimiter() || this.#isAtTrimmingRightDelimiter()) {
      return this.#parenDepth === 0 ? this.#rightDelimiter() : this.#fail('unclosed left paren');
    }
    const point = this.#take();
    if (point === endOfText) return this.#fail('unclosed action');
    const character = String.fromCodePoint(point);
    if (isSpace(point)) return this.#space();
    if (isAlphaNumeric(point) && !isDigit(point)) return this.#identifier();
    switch (character) {
      case '.':
        return isDigit(this.#peek()) || this.#peek() === endOfText ? this.#number() : this.#fieldOrVariable('field');
      case '"':
        return this.#quoted('"', 'string', 'unterminated quoted string');
      case '$':
        return this.#fieldOrVariable('variable');
      case '|':
        return this.#emit('|');
      case '(':
        this.#parenDepth++;
        return this.#emit('(');
      case ')':
        this.#parenDepth--;
        return this.#parenDepth < 0 ? this.#fail('unexpected right paren') : this.#emit(')');
      case '=':
        return this.#emit('assign');
      case ':':
        return this.#take() === 0x3d ? this.#emit('declare') : this.#fail('expected :=');
      case '`':
        return this.#rawString();
      case "'":
        return this.#quoted("'", 'character constant', 'unterminated character constant');
      default:
        return this.#numberOrOther(point);
    }
  }

  #numberOrOther(point: number): Token {
    if (isDigit(point) || point === 0x2b || point === 0x2d) return this.#number();
    if (isAlphaNumeric(point)) return this.#identifier();
    if (point > 0x20 && point < 0x7f) return this.#emit('char');
    return this.#fail(`unrecognized character in action: ${formatPoint(point)}`);
  }

  /**
   * Returns the code point here: U+FFFD for a byte that is not valid UTF-8, {@link endOfText} at
   * the end.
   */
  #peek(): number {
    const point = this.#text.codePointAt(this.#pos);
    if (point === undefined) return endOfText;
    return point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
  }

  #take(): number {
    const point = this.#peek();
    if (point !== endOfText) this.#pos += point > 0xffff ? 2 : 1;
    return point;
  }

  /** Reads space in an action. The last character may belong to a trimming delimiter. */
  #space(): Token {
    while (isSpace(this.#text.charCodeAt(this.#pos))) this.#pos++;
    if (this.#isAtTrimmingRightDelimiter(this.#pos - 1)) {
      this.#pos--;
      if (this.#pos === this.#start) return this.#rightDelimiter();
    }
    return this.#emit('space');
  }

  #word(): void {
    while (isAlphaNumeric(this.#peek())) this.#take();
  }

  #identifier(): Token {
    this.#word();
    if (!this.#isAtTerminator()) return this.#badCharacter();
    const word = this.#text.slice(this.#start, this.#pos);
    if (isKeyword(word)) return this.#emit(word);
    return this.#emit(word === 'true' || word === 'false' ? 'bool' : 'identifier');
  }

  #fieldOrVariable(type: 'field' | 'variable'): Token {
    if (this.#isAtTerminator()) return this.#emit(type === 'field' ? '.' : 'variable');
    this.#word();
    return this.#isAtTerminator() ? this.#emit(type) : this.#badCharacter();
  }

  #badCharacter(): Token {
    return this.#fail(`bad character ${formatPoint(this.#peek())}`);
  }

  /** Whether a word may end here. */
  #isAtTerminator(): boolean {
    const point = this.#peek();
    if (point === endOfText || isSpace(point)) return true;
    return '.,|:)('.includes(String.fromCodePoint(point)) || this.#isAtRightDelimiter();
  }

  #quoted(mark: string, type: TokenType, unterminated: string): Token {
    for (;;) {
      const point = this.#take();
      if (point === endOfText || point === 0x0a) return this.#fail(unterminated);
      if (point === 0x5c) {
        const escaped = this.#take();
        if (escaped === endOfText || escaped === 0x0a) return this.#fail(unterminated);
      } else if (point === mark.charCodeAt(0)) {
        return this.#emit(type);
      }
    }
  }

  #rawString(): Token {
    const end = this.#text.indexOf('`', this.#pos);
    if (end < 0) return this.#fail('unterminated raw quoted string');
    this.#pos = end + 1;
    return this.#emit('raw string');
  }

  #number(): Token {
    this.#pos = this.#start;
    if (!this.#scanNumber()) return this.#badNumber();
    const sign = this.#text[this.#pos];
    if (sign !== '+' && sign !== '-') return this.#emit('number');
    if (!this.#scanNumber() || this.#text[this.#pos - 1] !== 'i') return this.#badNumber();
    return this.#emit('complex');
  }

  #badNumber(): Token {
    return this.#fail(`bad number syntax: ${quote(this.#text.slice(this.#start, this.#pos))}`);
  }

  /** Skips text that looks like a number; the parser validates it later. */
  #scanNumber(): boolean {
    this.#accept('+-');
    const digits = this.#accept('0') ? this.#digitsAfterPrefix() : decimalDigits;
    this.#acceptRun(digits);
    if (this.#accept('.')) this.#acceptRun(digits);
    if (this.#accept(digits === decimalDigits ? 'eE' : digits === hexDigits ? 'pP' : '')) {
      this.#accept('+-');
      this.#acceptRun(decimalDigits);
    }
    this.#accept('i');
    if (!isAlphaNumeric(this.#peek())) return true;
    this.#take();
    return false;
  }

  #digitsAfterPrefix(): string {
    if (this.#accept('xX')) return hexDigits;
    if (this.#accept('oO')) return '01234567_';
    return this.#accept('bB') ? '01_' : decimalDigits;
  }

  #accept(characters: string): boolean {
    const accepted = this.#pos < this.#text.length && characters.includes(this.#text.charAt(this.#pos));
    if (accepted) this.#pos++;
    return accepted;
  }

  #acceptRun(characters: string): void {
    while (this.#accept(characters));
  }
}

function isSpace(point: number): boolean {
  return point === 0x20 || point === 0x0a || point === 0x09 || point === 0x0d;
}

function isDigit(point: number): boolean {
  return point >= 0x30 && point <= 0x39;
}

const letterOrDigit = /^[\p{L}\p{Nd}]$/u;

function isAlphaNumeric(point: number): boolean {
  if (point < 0x80) {
    return (point >= 0x61 && point <= 0x7a) || (point >= 0x41 && point <= 0x5a) || isDigit(point) || point === 0x5f;
  }
  return letterOrDigit.test(String.fromCodePoint(point));
}

/** Formats a character as `%#U` does. The end of the text is -1. */
function formatPoint(point: number): string {
  return sprintf('%#U', [int(point)]);
}
