import { isBlankOrEnd, isBreak } from './character.ts';
import { Cursor } from './cursor.ts';
import type { Source } from './reader.ts';
import { scanBlockScalar, scanPlain, scanQuoted } from './scan-scalar.ts';
import { scanAnchor, scanDirective, scanTag } from './scan-word.ts';
import type { SimpleKey, Token } from './token.ts';

/** A simple key is on one line and no longer than this. */
const longestKey = 1024;
const deepestIndent = 10_000;

/** Cuts a text into tokens, each when it is asked for: what is wrong behind the first document is never seen. */
export class Scanner extends Cursor {
  private readonly indents: number[] = [];
  /** For each flow level the key that may have begun there; before any, one that is not possible, at the bracket. */
  private readonly keys: SimpleKey[] = [];
  private tokens: Token[] = [];
  private head = 0;
  /** How many tokens were taken. */
  private taken = 0;

  constructor(source: Source) {
    super(source);
    this.keys.push(this.keyHere(false));
  }

  /** The next token; it stays the next until {@link next}. */
  peek(): Token {
    for (;;) {
      const token = this.tokens[this.head];
      if (token !== undefined && !(token.key?.awaited === true && this.isStillPossible(token.key))) {
        if (token.type === 'stream-end' && this.problem !== undefined) throw this.problem;
        return token;
      }
      this.fetch();
    }
  }

  /** Takes the token that {@link peek} answered. */
  next(): void {
    this.head++;
    this.taken++;
    if (this.head === this.tokens.length) {
      this.tokens = [];
      this.head = 0;
    }
  }

  private push(token: Token): void {
    this.tokens.push(token);
  }

  /** Puts a token before the one of that number; it comes last where that one is taken already. */
  private insert(number: number, token: Token): void {
    if (number < this.taken) this.push(token);
    else this.tokens.splice(this.head + number - this.taken, 0, token);
  }

  private isStillPossible(key: SimpleKey): boolean {
    if (!key.possible) return false;
    if (key.line === this.line && !this.isFurtherThan(longestKey, key.position)) return true;
    if (key.required) this.fail("could not find expected ':'");
    key.possible = false;
    return false;
  }

  /** Whether there are more than so many characters since that place; two units may be one character. */
  private isFurtherThan(count: number, start: number): boolean {
    if (this.at - start <= count) return false;
    return Array.from(this.text.slice(start, this.at)).length > count;
  }

  private keyHere(possible: boolean): SimpleKey {
    const column = this.column();
    return {
      possible,
      awaited: possible,
      required: possible && this.flowLevel === 0 && this.indent === column,
      token: this.taken + this.tokens.length - this.head,
      position: this.at,
      line: this.line,
      column,
    };
  }

  private saveKey(): SimpleKey | undefined {
    if (!this.keyAllowed) return undefined;
    this.dropKey();
    const key = this.keyHere(true);
    this.keys[this.flowLevel] = key;
    return key;
  }

  private dropKey(): void {
    const key = this.keys[this.flowLevel];
    if (key?.possible !== true) return;
    if (key.required) this.fail("could not find expected ':'");
    key.possible = false;
  }

  /** Begins a block collection at that column, unless one has begun there. */
  private openBlock(column: number, type: 'block-sequence-start' | 'block-mapping-start', key?: SimpleKey): void {
    if (this.flowLevel > 0 || this.indent >= column) return;
    this.indents.push(this.indent);
    this.indent = column;
    if (this.indents.length > deepestIndent) this.fail(`exceeded max depth of ${deepestIndent}`);
    if (key === undefined) this.push({ type, line: this.line });
    else this.insert(key.token, { type, line: key.line });
  }

  /** Ends the block collections that are further in than that column. */
  private closeBlocks(column: number): void {
    if (this.flowLevel > 0) return;
    while (this.indent > column) {
      this.push({ type: 'block-end', line: this.line });
      this.indent = this.indents.pop() ?? -1;
    }
  }

  private fetch(): void {
    this.skipToToken();
    this.closeBlocks(this.column());
    const unit = this.unit();
    if (unit === 0) {
      this.fetchEnd();
      return;
    }
    if (this.at === this.lineStart) {
      if (unit === 37) {
        this.closeAll();
        this.push(scanDirective(this));
        return;
      }
      if (this.atDocumentMark()) {
        this.closeAll();
        this.push({ type: unit === 45 ? 'document-start' : 'document-end', line: this.line });
        this.at += 3;
        return;
      }
    }
    this.fetchContent(unit);
  }

  private fetchEnd(): void {
    if (this.at !== this.lineStart) {
      this.line++;
      this.lineStart = this.at;
    }
    this.closeAll();
    this.push({ type: 'stream-end', line: this.line });
  }

  private closeAll(): void {
    this.closeBlocks(-1);
    this.dropKey();
    this.keyAllowed = false;
  }

  private fetchContent(unit: number): void {
    switch (unit) {
      case 91: // [
        this.openFlow('flow-sequence-start');
        return;
      case 123: // {
        this.openFlow('flow-mapping-start');
        return;
      case 93: // ]
        this.closeFlow('flow-sequence-end');
        return;
      case 125: // }
        this.closeFlow('flow-mapping-end');
        return;
      case 44: // ,
        this.dropKey();
        this.keyAllowed = true;
        this.pushMark('flow-entry');
        return;
      case 45: // -
        if (isBlankOrEnd(this.unit(1))) this.fetchEntry();
        else this.fetchPlain();
        return;
      case 63: // ?
        if (this.flowLevel > 0 || isBlankOrEnd(this.unit(1))) this.fetchKey();
        else this.fetchPlain();
        return;
      case 58: // :
        if (this.flowLevel > 0 || isBlankOrEnd(this.unit(1))) this.fetchValue();
        else this.fetchPlain();
        return;
      case 42: // *
      case 38: // &
      case 33: // !
        this.fetchProperty(unit);
        return;
      case 124: // |
      case 62: // >
        if (this.flowLevel > 0) break;
        this.dropKey();
        this.keyAllowed = true;
        this.push(scanBlockScalar(this, unit === 124));
        return;
      case 39: // '
      case 34: {
        // "
        const key = this.saveKey();
        this.keyAllowed = false;
        this.pushKeyable(scanQuoted(this, unit), key);
        return;
      }
      case 9:
      case 35: // #
      case 37: // %
      case 64: // @
      case 96: // `
        break;
      default:
        this.fetchPlain();
        return;
    }
    this.fail('found character that cannot start any token');
  }

  /** Pushes a token of one character. */
  private pushMark(
    type: 'flow-entry' | 'block-entry' | 'key' | 'value' | 'flow-sequence-end' | 'flow-mapping-end',
  ): void {
    this.push({ type, line: this.line });
    this.at++;
  }

  private pushKeyable(token: Token, key: SimpleKey | undefined): void {
    if (key !== undefined) token.key = key;
    this.push(token);
  }

  private openFlow(type: 'flow-sequence-start' | 'flow-mapping-start'): void {
    const key = this.saveKey();
    this.flowLevel++;
    this.keys.push(this.keyHere(false));
    this.keyAllowed = true;
    this.pushKeyable({ type, line: this.line }, key);
    this.at++;
  }

  private closeFlow(type: 'flow-sequence-end' | 'flow-mapping-end'): void {
    this.dropKey();
    if (this.flowLevel > 0) {
      this.flowLevel--;
      const inner = this.keys.pop();
      const outer = this.keys[this.flowLevel];
      // go-yaml no longer waits for the colon after brackets in which no key could begin
      if (outer !== undefined && outer.token === inner?.token) outer.awaited = false;
    }
    this.keyAllowed = false;
    this.pushMark(type);
  }

  private fetchEntry(): void {
    if (this.flowLevel === 0) {
      if (!this.keyAllowed) this.fail('block sequence entries are not allowed in this context');
      this.openBlock(this.column(), 'block-sequence-start');
    }
    this.dropKey();
    this.keyAllowed = true;
    this.pushMark('block-entry');
  }

  private fetchKey(): void {
    if (this.flowLevel === 0) {
      if (!this.keyAllowed) this.fail('mapping keys are not allowed in this context');
      this.openBlock(this.column(), 'block-mapping-start');
    }
    this.dropKey();
    this.keyAllowed = this.flowLevel === 0;
    this.pushMark('key');
  }

  private fetchValue(): void {
    const key = this.keys[this.flowLevel];
    if (key !== undefined && this.isStillPossible(key)) {
      this.insert(key.token, { type: 'key', line: key.line });
      this.openBlock(key.column, 'block-mapping-start', key);
      key.possible = false;
      this.keyAllowed = false;
    } else {
      if (this.flowLevel === 0) {
        if (!this.keyAllowed) this.fail('mapping values are not allowed in this context');
        this.openBlock(this.column(), 'block-mapping-start');
      }
      this.keyAllowed = this.flowLevel === 0;
    }
    this.pushMark('value');
  }

  private fetchProperty(unit: number): void {
    const key = this.saveKey();
    this.keyAllowed = false;
    this.pushKeyable(unit === 33 ? scanTag(this) : scanAnchor(this, unit === 42 ? 'alias' : 'anchor'), key);
  }

  private fetchPlain(): void {
    const key = this.saveKey();
    this.keyAllowed = false;
    this.pushKeyable(scanPlain(this), key);
  }

  private skipToToken(): void {
    for (;;) {
      // a second byte order mark
      if (this.at === 0 && this.unit() === 0xfeff) this.at++;
      const tabs = this.flowLevel > 0 || !this.keyAllowed;
      for (let unit = this.unit(); unit === 32 || (tabs && unit === 9); unit = this.unit()) this.at++;
      this.skipComment();
      if (!isBreak(this.unit())) return;
      this.skipBreak();
      if (this.flowLevel === 0) this.keyAllowed = true;
    }
  }
}
