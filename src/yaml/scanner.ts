import { code, isBlankOrEnd, isBreak } from './character.ts';
import { Cursor } from './cursor.ts';
import type { YamlText } from './reader.ts';
import { scanBlockScalar, scanDoubleQuoted, scanPlain, scanSingleQuoted } from './scan-scalar.ts';
import { scanAlias, scanAnchor, scanDirective, scanTag } from './scan-word.ts';
import type { SimpleKey, Token } from './token.ts';

/** Maximum length of a simple key, which must be on one line. */
const maxKeyLength = 1024;
const maxBlocks = 10_000;

/**
 * Splits a text into tokens on demand, so that errors after the first document are never reported.
 */
export class Scanner extends Cursor {
  readonly #indents: number[] = [];
  /**
   * The key that may have begun at each flow level; initially one that is not possible, at the
   * bracket.
   */
  readonly #keys: SimpleKey[] = [];
  #tokens: Token[] = [];
  #head = 0;
  /** Number of tokens taken. */
  #taken = 0;
  /** Whether every UTF-16 unit of the text is a character. */
  readonly #isOneUnitEach: boolean;
  /** Offset up to which characters are counted, and their number. */
  #counted = 0;
  #characters = 0;

  constructor(text: YamlText) {
    super(text);
    this.#isOneUnitEach = !/[\ud800-\udbff]/.test(this.text);
    this.#keys.push(this.#keyHere(false));
  }

  /** Returns the next token without taking it. */
  peek(): Token {
    for (;;) {
      const token = this.#tokens[this.#head];
      if (token !== undefined && !(token.key?.awaited === true && this.#isStillPossible(token.key))) {
        if (token.type === 'stream-end' && this.problem !== undefined) throw this.problem;
        return token;
      }
      this.#fetch();
    }
  }

  /** Takes the token that {@link peek} returned. */
  next(): void {
    this.#head++;
    this.#taken++;
    if (this.#head === this.#tokens.length) {
      this.#tokens = [];
      this.#head = 0;
    }
  }

  #push(token: Token): void {
    this.#tokens.push(token);
  }

  /**
   * Inserts a token before the token with a number, or appends it if that one was already taken.
   */
  #insert(number: number, token: Token): void {
    if (number < this.#taken) this.#push(token);
    else this.#tokens.splice(this.#head + number - this.#taken, 0, token);
  }

  #isStillPossible(key: SimpleKey): boolean {
    if (!key.possible) return false;
    if (key.line === this.line && this.#charactersTo(this.at) - key.characters <= maxKeyLength) return true;
    if (key.required) this.fail("could not find expected ':'");
    key.possible = false;
    return false;
  }

  /**
   * Returns the number of characters (code points, not UTF-16 units) before an offset. Offsets must
   * not decrease, so that all calls together take linear time.
   */
  #charactersTo(offset: number): number {
    if (this.#isOneUnitEach) return offset;
    while (this.#counted < offset) {
      const unit = this.text.charCodeAt(this.#counted++);
      // the text has no half pairs other than bytes that are not UTF-8, in U+DC80 to U+DCFF
      if (unit < 0xd800 || unit > 0xdbff) this.#characters++;
    }
    return this.#characters;
  }

  #keyHere(possible: boolean): SimpleKey {
    const column = this.column();
    return {
      possible,
      awaited: possible,
      required: possible && this.flowLevel === 0 && this.indent === column,
      token: this.#taken + this.#tokens.length - this.#head,
      characters: this.#charactersTo(this.at),
      line: this.line,
      column,
    };
  }

  #saveKey(): SimpleKey | undefined {
    if (!this.isKeyAllowed) return undefined;
    this.#dropKey();
    const key = this.#keyHere(true);
    this.#keys[this.flowLevel] = key;
    return key;
  }

  #dropKey(): void {
    const key = this.#keys[this.flowLevel];
    if (key?.possible !== true) return;
    if (key.required) this.fail("could not find expected ':'");
    key.possible = false;
  }

  /** Begins a block collection at a column, unless one has already begun there. */
  #openBlock(column: number, type: 'block-sequence-start' | 'block-mapping-start', key?: SimpleKey): void {
    if (this.flowLevel > 0 || this.indent >= column) return;
    this.#indents.push(this.indent);
    this.indent = column;
    if (this.#indents.length > maxBlocks) this.fail(`exceeded max depth of ${maxBlocks}`);
    if (key === undefined) this.#push({ type, line: this.line });
    else this.#insert(key.token, { type, line: key.line });
  }

  /** Ends the block collections that are indented deeper than a column. */
  #closeBlocks(column: number): void {
    if (this.flowLevel > 0) return;
    while (this.indent > column) {
      this.#push({ type: 'block-end', line: this.line });
      this.indent = this.#indents.pop() ?? -1;
    }
  }

  #fetch(): void {
    this.#skipToToken();
    this.#closeBlocks(this.column());
    const unit = this.unit();
    if (unit === 0) {
      this.#fetchEnd();
      return;
    }
    if (this.at === this.lineStart) {
      if (unit === code.percent) {
        this.#closeAll();
        this.#push(scanDirective(this));
        return;
      }
      if (this.isAtDocumentMarker()) {
        this.#closeAll();
        this.#push({ type: unit === code.minus ? 'document-start' : 'document-end', line: this.line });
        this.at += 3;
        return;
      }
    }
    this.#fetchContent();
  }

  #fetchEnd(): void {
    if (this.at !== this.lineStart) {
      this.line++;
      this.lineStart = this.at;
    }
    this.#closeAll();
    this.#push({ type: 'stream-end', line: this.line });
  }

  #closeAll(): void {
    this.#closeBlocks(-1);
    this.#dropKey();
    this.isKeyAllowed = false;
  }

  #fetchContent(): void {
    const character = this.text.charAt(this.at);
    switch (character) {
      case '[':
        this.#openFlow('flow-sequence-start');
        break;
      case '{':
        this.#openFlow('flow-mapping-start');
        break;
      case ']':
        this.#closeFlow('flow-sequence-end');
        break;
      case '}':
        this.#closeFlow('flow-mapping-end');
        break;
      case ',':
        this.#fetchFlowEntry();
        break;
      case '-':
        if (isBlankOrEnd(this.unit(1))) this.#fetchBlockEntry();
        else this.#fetchKeyable(scanPlain);
        break;
      case '?':
        if (this.#isFlowOrBlankNext()) this.#fetchKey();
        else this.#fetchKeyable(scanPlain);
        break;
      case ':':
        if (this.#isFlowOrBlankNext()) this.#fetchValue();
        else this.#fetchKeyable(scanPlain);
        break;
      case '*':
        this.#fetchKeyable(scanAlias);
        break;
      case '&':
        this.#fetchKeyable(scanAnchor);
        break;
      case '!':
        this.#fetchKeyable(scanTag);
        break;
      case "'":
        this.#fetchKeyable(scanSingleQuoted);
        break;
      case '"':
        this.#fetchKeyable(scanDoubleQuoted);
        break;
      case '|':
      case '>':
        this.#fetchBlockScalar(character);
        break;
      case '\t':
      case '#':
      case '%':
      case '@':
      case '`':
        return this.#failAtCharacter();
      default:
        this.#fetchKeyable(scanPlain);
    }
  }

  #failAtCharacter(): never {
    return this.fail('found character that cannot start any token');
  }

  /** Whether `?` or `:` is an indicator here, not the start of a plain scalar. */
  #isFlowOrBlankNext(): boolean {
    return this.flowLevel > 0 || isBlankOrEnd(this.unit(1));
  }

  /** Pushes a token of one character. */
  #pushIndicator(
    type: 'flow-entry' | 'block-entry' | 'key' | 'value' | 'flow-sequence-end' | 'flow-mapping-end',
  ): void {
    this.#push({ type, line: this.line });
    this.at++;
  }

  /** Pushes a token that may be, or begin, a simple key. */
  #fetchKeyable(scan: (cursor: Cursor) => Token): void {
    const key = this.#saveKey();
    this.isKeyAllowed = false;
    const token = scan(this);
    if (key !== undefined) token.key = key;
    this.#push(token);
  }

  #openFlow(type: 'flow-sequence-start' | 'flow-mapping-start'): void {
    const key = this.#saveKey();
    this.flowLevel++;
    this.#keys.push(this.#keyHere(false));
    this.isKeyAllowed = true;
    this.#push(key === undefined ? { type, line: this.line } : { type, line: this.line, key });
    this.at++;
  }

  #closeFlow(type: 'flow-sequence-end' | 'flow-mapping-end'): void {
    this.#dropKey();
    if (this.flowLevel > 0) {
      this.flowLevel--;
      const inner = this.#keys.pop();
      const outer = this.#keys[this.flowLevel];
      // go-yaml stops waiting for the colon after brackets in which no key could begin
      if (outer !== undefined && outer.token === inner?.token) outer.awaited = false;
    }
    this.isKeyAllowed = false;
    this.#pushIndicator(type);
  }

  #fetchFlowEntry(): void {
    this.#dropKey();
    this.isKeyAllowed = true;
    this.#pushIndicator('flow-entry');
  }

  #fetchBlockEntry(): void {
    if (this.flowLevel === 0) {
      if (!this.isKeyAllowed) this.fail('block sequence entries are not allowed in this context');
      this.#openBlock(this.column(), 'block-sequence-start');
    }
    this.#dropKey();
    this.isKeyAllowed = true;
    this.#pushIndicator('block-entry');
  }

  #fetchKey(): void {
    if (this.flowLevel === 0) {
      if (!this.isKeyAllowed) this.fail('mapping keys are not allowed in this context');
      this.#openBlock(this.column(), 'block-mapping-start');
    }
    this.#dropKey();
    this.isKeyAllowed = this.flowLevel === 0;
    this.#pushIndicator('key');
  }

  #fetchValue(): void {
    const key = this.#keys[this.flowLevel];
    if (key !== undefined && this.#isStillPossible(key)) {
      this.#insert(key.token, { type: 'key', line: key.line });
      this.#openBlock(key.column, 'block-mapping-start', key);
      key.possible = false;
      this.isKeyAllowed = false;
    } else {
      if (this.flowLevel === 0) {
        if (!this.isKeyAllowed) this.fail('mapping values are not allowed in this context');
        this.#openBlock(this.column(), 'block-mapping-start');
      }
      this.isKeyAllowed = this.flowLevel === 0;
    }
    this.#pushIndicator('value');
  }

  #fetchBlockScalar(indicator: '|' | '>'): void {
    if (this.flowLevel > 0) this.#failAtCharacter();
    this.#dropKey();
    this.isKeyAllowed = true;
    this.#push(scanBlockScalar(this, indicator === '|'));
  }

  #skipToToken(): void {
    for (;;) {
      // a second byte order mark
      if (this.at === 0 && this.unit() === 0xfeff) this.at++;
      const tabs = this.flowLevel > 0 || !this.isKeyAllowed;
      for (let unit = this.unit(); unit === code.space || (tabs && unit === code.tab); unit = this.unit()) this.at++;
      this.skipComment();
      if (!isBreak(this.unit())) return;
      this.skipBreak();
      if (this.flowLevel === 0) this.isKeyAllowed = true;
    }
  }
}
