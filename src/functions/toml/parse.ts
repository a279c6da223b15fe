import { LimitError } from '../../go/limit-error.ts';
import { quote, quoteRune } from '../../go/strconv.ts';
import { toBytes } from '../../go/text.ts';
import type { Zone } from '../../go/time-zone.ts';
import type { Value, ValueMap } from '../../go/value.ts';
import { TomlError } from './error.ts';
import { tomlKey } from './key.ts';
import { floatOf, readNumberOrTime, readSigned } from './number.ts';
import { end, TomlScanner } from './scanner.ts';
import { readOneLine, readString } from './string.ts';
import { TomlTables } from './tables.ts';

const whitespace = /[ \t]/;
const blank = /[ \t\r\n]/;
const lineEnd = /[\r\n]/;
const bareKey = /[A-Za-z0-9_-]/;
const deepestNesting = 1000;

/**
 * Parses TOML as BurntSushi's decoder does, with its errors.
 * @param local zone of this machine, which Go assigns to times with the same offset
 */
export function parseToml(text: string, local: Zone): ValueMap {
  const content = text.replace(/^(?:\ufeff|\udcff\udcfe|\udcfe\udcff)/, '');
  if (toBytes(content.slice(0, 6)).subarray(0, 6).includes(0)) {
    throw new TomlError('files cannot contain NULL bytes; probably using UTF-16; TOML files must be UTF-8', 1, '');
  }
  return new Parser(content, local).document();
}

class Parser {
  readonly #scanner: TomlScanner;
  readonly #local: Zone;
  readonly #tables: TomlTables;
  #currentKey = '';
  /** Line of the current key or table header. */
  #keyLine = 1;
  #depth = 0;

  constructor(text: string, local: Zone) {
    this.#scanner = new TomlScanner(text);
    this.#local = local;
    this.#scanner.lastKey = () => this.#lastKey();
    this.#tables = new TomlTables((problem) => {
      throw new TomlError(problem, this.#keyLine, this.#lastKey());
    });
  }

  #lastKey(): string {
    const { context } = this.#tables;
    if (this.#currentKey === '') return tomlKey(context);
    return context.length === 0 ? this.#currentKey : `${tomlKey(context)}.${this.#currentKey}`;
  }

  document(): ValueMap {
    const scanner = this.#scanner;
    for (;;) {
      const character = scanner.next();
      if (character === end) return this.#tables.root;
      if (blank.test(character)) continue;
      if (character === '#') {
        scanner.skipComment();
      } else {
        if (character === '[') {
          this.#readTableHeader();
        } else {
          scanner.back();
          this.#readKeyAndValue();
          this.#currentKey = '';
        }
        this.#readEndOfItem();
      }
    }
  }

  #readEndOfItem(): void {
    const scanner = this.#scanner;
    scanner.takeWhile(whitespace);
    const character = scanner.next();
    if (character === '#') scanner.skipComment();
    else if (character !== end && !lineEnd.test(character)) {
      const found = quoteCharacter(character);
      scanner.fail(`expected a top-level item to end with a newline, comment, or EOF, but got ${found} instead`);
    }
  }

  #readTableHeader(): void {
    const scanner = this.#scanner;
    const isArray = scanner.accept('[');
    const key = this.#readTableName();
    if (isArray) {
      const character = scanner.next();
      if (character !== ']') {
        scanner.fail(`expected end of table array name delimiter ']', but got ${quoteCharacter(character)} instead`);
      }
    }
    this.#tables.open(key, isArray);
  }

  #readTableName(): string[] {
    const scanner = this.#scanner;
    const key: string[] = [];
    for (;;) {
      scanner.takeWhile(whitespace);
      const first = scanner.peek();
      if (first === ']' || first === end) {
        scanner.fail('unexpected end of table name (table names cannot be empty)');
      }
      if (first === '.') scanner.fail('unexpected table separator (table names cannot be empty)');
      key.push(this.#readKeyPart(key.length === 0));
      checkKey(key);
      scanner.takeWhile(whitespace);
      const character = scanner.next();
      if (character === ']') return key;
      if (character !== '.') {
        scanner.fail(`expected '.' or ']' to end table name, but got ${quoteCharacter(character)} instead`);
      }
    }
  }

  /** Reads one part of a key, quoted or bare. */
  #readKeyPart(isFirst: boolean): string {
    const scanner = this.#scanner;
    const mark = scanner.peek();
    let part;
    if (mark === '"' || mark === "'") {
      scanner.next();
      part = readOneLine(scanner, mark);
    } else {
      part = scanner.takeWhile(bareKey);
    }
    if (isFirst) this.#keyLine = scanner.line;
    return part;
  }

  #readKey(): string[] {
    const scanner = this.#scanner;
    scanner.takeWhile(whitespace);
    const first = scanner.peek();
    if (first === '=' || first === end) scanner.fail("unexpected '=': key name appears blank");
    if (first === '.') scanner.fail("unexpected '.': keys cannot start with a '.'");
    const key: string[] = [];
    for (;;) {
      scanner.takeWhile(whitespace);
      const character = scanner.peek();
      if (character === '=' || character === end) scanner.fail("unexpected '='");
      if (character === '.') scanner.fail("unexpected '.'");
      key.push(this.#readKeyPart(key.length === 0));
      checkKey(key);
      if (this.#readEndOfKey()) return key;
    }
  }

  /** Returns true if the key ends here. If not, the dot has been read and another part follows. */
  #readEndOfKey(): boolean {
    const scanner = this.#scanner;
    scanner.takeWhile(whitespace);
    const character = scanner.next();
    if (character === '=' || character === '.') return character === '=';
    if (character === end) scanner.fail("unexpected EOF; expected key separator '='");
    const problem = `expected '.' or '=', but got ${quoteCharacter(character)} instead`;
    return character === '\n' ? scanner.failOnPreviousLine(problem) : scanner.fail(problem);
  }

  /** Reads a key and its value, and sets it in the current table. */
  #readKeyAndValue(): { key: readonly string[]; value: Value } {
    const outer = this.#tables.context;
    const key = this.#readKey();
    this.#currentKey = key.at(-1) ?? '';
    for (const part of key.slice(0, -1)) this.#tables.openImplicit([...this.#tables.context, part]);
    const value = this.#readValue(false);
    this.#tables.set(this.#currentKey, value);
    this.#tables.setKind(this.#currentKey, Array.isArray(value));
    this.#tables.context = outer;
    return { key, value };
  }

  #readValue(inArray: boolean): Value {
    const scanner = this.#scanner;
    if (this.#depth > deepestNesting) scanner.fail('values are nested too deeply');
    scanner.takeWhile(whitespace);
    const start = scanner.position;
    const character = scanner.next();
    if (/[0-9]/.test(character)) {
      scanner.back();
      return readNumberOrTime(scanner, this.#local);
    }
    switch (character) {
      case '[':
        return this.#readNested(() => this.#readArray());
      case '{':
        return this.#readNested(() => this.#readInlineTable(inArray));
      case '"':
      case "'":
        return readString(scanner, character);
      case '.':
        return scanner.fail("floats must start with a digit, not '.'");
      case '+':
      case '-':
        return readSigned(scanner, start);
      case 'i':
      case 'n':
        if ((scanner.accept('n') && scanner.accept('f')) || (scanner.accept('a') && scanner.accept('n'))) {
          return floatOf(scanner, scanner.since(start));
        }
        break;
    }
    return this.#readWord(character);
  }

  #readNested(read: () => Value): Value {
    this.#depth++;
    const value = read();
    this.#depth--;
    return value;
  }

  /** Reads `true` or `false`. The error names any other word. */
  #readWord(character: string): boolean {
    const scanner = this.#scanner;
    if (/\p{L}/u.test(character)) {
      scanner.back();
      const word = scanner.takeWhile(/\p{L}/u);
      if (word === 'true' || word === 'false') return word === 'true';
      scanner.fail(`expected value but found ${quote(word)} instead`);
    }
    if (character === end) scanner.fail('unexpected EOF; expected value');
    const problem = `expected value but found ${quoteCharacter(character)} instead`;
    return character === '\n' ? scanner.failOnPreviousLine(problem) : scanner.fail(problem);
  }

  #readArray(): Value[] {
    const scanner = this.#scanner;
    this.#tables.setKind(this.#currentKey, true);
    const list: Value[] = [];
    for (;;) {
      this.#skipBlanksAndComments();
      const character = scanner.next();
      if (character === ']') return list;
      if (character === ',') scanner.fail('unexpected comma');
      scanner.back();
      list.push(this.#readValue(true));
      this.#skipBlanksAndComments();
      const separator = scanner.next();
      if (separator === ']') return list;
      if (separator !== ',') {
        scanner.fail(`expected a comma (',') or array terminator (']'), but got ${describe(separator)}`);
      }
    }
  }

  #readInlineTable(inArray: boolean): ValueMap {
    const tables = this.#tables;
    const table: ValueMap = new Map();
    const [outerContext, outerKey] = [tables.context, this.#currentKey];
    const context = [...outerContext, outerKey];
    this.#currentKey = '';
    tables.context = context;
    tables.openInline(context, inArray);
    while (this.#hasNextInlineKey(table.size > 0)) {
      const { key, value } = this.#readKeyAndValue();
      this.#setInline(table, key, value);
    }
    tables.context = outerContext;
    this.#currentKey = outerKey;
    return table;
  }

  /** Reports whether another key of an inline table follows. */
  #hasNextInlineKey(needsComma: boolean): boolean {
    const scanner = this.#scanner;
    this.#skipBlanksAndComments();
    const character = scanner.next();
    if (character === '}') return false;
    if (!needsComma) {
      if (character === ',') scanner.fail('unexpected comma');
      scanner.back();
      return true;
    }
    if (character !== ',') {
      scanner.fail(`expected a comma or an inline table terminator '}', but got ${describe(character)} instead`);
    }
    return this.#hasNextInlineKey(false);
  }

  #setInline(table: ValueMap, key: readonly string[], value: Value): void {
    let target = table;
    for (const part of key.slice(0, -1)) {
      const known = target.get(part);
      const next = known ?? new Map<string, Value>();
      if (!(next instanceof Map)) {
        throw new TomlError(`${quote(tomlKey(this.#tables.context))} is not a table`, this.#keyLine, this.#lastKey());
      }
      target.set(part, next);
      // the maps in an inline table are made here
      target = next as ValueMap;
    }
    target.set(key.at(-1) ?? '', value);
  }

  #skipBlanksAndComments(): void {
    for (;;) {
      this.#scanner.takeWhile(blank);
      if (!this.#scanner.accept('#')) return;
      this.#scanner.skipComment();
    }
  }
}

/** Limits the number of parts, because each part opens a table. */
function checkKey(key: readonly string[]): void {
  if (key.length > deepestNesting) throw new LimitError(`a key has more than ${deepestNesting} parts`);
}

function quoteCharacter(character: string): string {
  return quoteRune(character.codePointAt(0) ?? 0);
}

function describe(character: string): string {
  return character === end ? 'end of file' : `'${character}'`;
}
