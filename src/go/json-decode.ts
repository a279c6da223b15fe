import { quote } from './strconv.ts';
import { toBytes } from './text.ts';
import { GoError, NamedMap, Slice, type Value, type ValueMap } from './value.ts';

const maxDepth = 10_000;

/** JSON syntax error at a character. */
export class JsonSyntaxError extends GoError {
  /** Offset of the character in the text. */
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/**
 * A decoded value, and Go's error if a number does not fit in a float64; such a number becomes nil.
 */
export interface DecodedJson {
  readonly value: Value;
  readonly error?: string;
}

/**
 * Decodes JSON as `json.Unmarshal` does into an `interface {}`. Throws Go's error if the text is
 * not JSON.
 */
export function decodeJson(text: string): DecodedJson {
  return new Decoder(text).document();
}

/**
 * Decodes the value at the start of a text as Go's `json.Decoder` does, and returns the text after
 * it. Throws Go's error if the text does not start with a value.
 */
export function decodeJsonPrefix(text: string): { value: Value; rest: string } {
  const { value, end } = decodeJsonAt(text, 0);
  return { value, rest: text.slice(end) };
}

/**
 * Like {@link decodeJsonPrefix}, for the value at an offset of a text. Returns the offset after it,
 * so that reading many values takes linear time.
 */
export function decodeJsonAt(text: string, start: number): { value: Value; end: number } {
  return new Decoder(text, start).prefix();
}

/** Decodes a JSON object. Returns Go's error for any other value, and a nil map for null. */
export function decodeJsonObject(text: string): { value: ValueMap; error?: string } {
  const { value, error } = decodeJson(text);
  if (value instanceof Map) return { value: value as ValueMap, ...(error !== undefined && { error }) };
  if (value === null && error === undefined) return { value: new NamedMap('map[string]interface {}', null) };
  return { value: new Map(), error: mismatch(value, 'map[string]interface {}') };
}

/** Decodes a JSON array. Returns Go's error for any other value, and a nil slice for null. */
export function decodeJsonArray(text: string): { value: readonly Value[]; error?: string } {
  const { value, error } = decodeJson(text);
  if (Array.isArray(value)) return { value: value as readonly Value[], ...(error !== undefined && { error }) };
  if (value === null && error === undefined) return { value: new Slice('interface {}', null) };
  return { value: [], error: mismatch(value, '[]interface {}') };
}

export function mismatch(value: Value, goType: string): string {
  // for a value that is not a container, the only possible error is a number's
  const kind =
    typeof value === 'string'
      ? 'string'
      : typeof value === 'boolean'
        ? 'bool'
        : value instanceof Map
          ? 'object'
          : Array.isArray(value)
            ? 'array'
            : 'number';
  return `json: cannot unmarshal ${kind} into Go value of type ${goType}`;
}

type Container = { readonly map: ValueMap; key: string } | { readonly list: Value[] };

const simpleEscapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class Decoder {
  readonly #whitespace = /[\t\n\r ]*/y;
  readonly #plainText = /[^"\\\0-\x1f]*/y;
  readonly #wholeNumber = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
  readonly #text: string;
  readonly #open: Container[] = [];
  #at: number;
  #error: string | undefined;

  constructor(text: string, start = 0) {
    this.#text = text;
    this.#at = start;
  }

  document(): DecodedJson {
    const value = this.#value();
    this.#skipWhitespace();
    if (this.#at < this.#text.length) throw this.#unexpected('after top-level value');
    return { value, ...(this.#error !== undefined && { error: this.#error }) };
  }

  prefix(): { value: Value; end: number } {
    const value = this.#complete();
    if (this.#error !== undefined) throw new GoError(this.#error);
    return { value, end: this.#at };
  }

  /**
   * Decodes a value that ends before the text or with it. A text that ends inside a value is an
   * `unexpected EOF`, as for a stream.
   */
  #complete(): Value {
    try {
      return this.#value();
    } catch (error) {
      throw error instanceof GoError && this.#at >= this.#text.length ? new GoError('unexpected EOF') : error;
    }
  }

  /** Decodes one value without recursion: JSON can be nested deeper than the stack allows. */
  #value(): Value {
    for (;;) {
      let value = this.#scalarOrStart();
      while (value !== undefined) {
        const container = this.#open.at(-1);
        if (container === undefined) return value;
        value = this.#add(container, value);
      }
    }
  }

  /** Reads a scalar or an empty container; returns undefined if it entered a container. */
  #scalarOrStart(): Value | undefined {
    this.#skipWhitespace();
    switch (this.#text[this.#at]) {
      case '{':
        return this.#startObject();
      case '[':
        return this.#startArray();
      case '"':
        return this.#string();
      case 't':
        return this.#literal('true', true);
      case 'f':
        return this.#literal('false', false);
      case 'n':
        return this.#literal('null', null);
      default:
        return this.#number();
    }
  }

  #startObject(): Value | undefined {
    this.#checkDepth();
    this.#at++;
    const map: ValueMap = new Map();
    if (this.#skipIf('}')) return map;
    this.#open.push({ map, key: this.#key() });
    return undefined;
  }

  #startArray(): Value | undefined {
    this.#checkDepth();
    this.#at++;
    const list: Value[] = [];
    if (this.#skipIf(']')) return list;
    this.#open.push({ list });
    return undefined;
  }

  #checkDepth(): void {
    if (this.#open.length >= maxDepth) throw new GoError('exceeded max depth');
  }

  #key(): string {
    this.#skipWhitespace();
    if (this.#text[this.#at] !== '"') throw this.#unexpected('looking for beginning of object key string');
    const key = this.#string();
    if (!this.#skipIf(':')) throw this.#unexpected('after object key');
    return key;
  }

  /** Adds a value to its container; returns the container if it is complete. */
  #add(container: Container, value: Value): Value | undefined {
    if ('map' in container) {
      container.map.set(container.key, value);
      if (this.#skipIf('}')) return this.#close(container.map);
      if (!this.#skipIf(',')) throw this.#unexpected('after object key:value pair');
      container.key = this.#key();
      return undefined;
    }
    container.list.push(value);
    if (this.#skipIf(']')) return this.#close(container.list);
    if (!this.#skipIf(',')) throw this.#unexpected('after array element');
    return undefined;
  }

  #close(container: Value): Value {
    this.#open.pop();
    return container;
  }

  #literal(word: string, value: Value): Value {
    for (let i = 1; i < word.length; i++) {
      if (this.#text[this.#at + i] !== word[i]) {
        this.#at += i;
        throw this.#unexpectedInside(`in literal ${word} (expecting '${word.charAt(i)}')`);
      }
    }
    this.#at += word.length;
    return value;
  }

  #number(): Value {
    const digits = this.#match(this.#wholeNumber);
    if (digits === '') {
      if (this.#text[this.#at] !== '-') throw this.#unexpected('looking for beginning of value');
      this.#at++;
      throw this.#unexpectedInside('in numeric literal');
    }
    const next = this.#text[this.#at];
    const simple = !/[.eE]/.test(digits);
    if (next === '.' && simple) {
      this.#at++;
      throw this.#unexpectedInside('after decimal point in numeric literal');
    }
    if ((next === 'e' || next === 'E') && !/[eE]/.test(digits)) {
      this.#at += /[+-]/.test(this.#text[this.#at + 1] ?? '') ? 2 : 1;
      throw this.#unexpectedInside('in exponent of numeric literal');
    }
    const value = Number(digits);
    if (Number.isFinite(value)) return value;
    this.#error ??= `json: cannot unmarshal number ${digits} into Go value of type float64`;
    return null;
  }

  #string(): string {
    this.#at++;
    let text = this.#match(this.#plainText);
    while (this.#text[this.#at] !== '"') {
      if (this.#text[this.#at] !== '\\') throw this.#unexpected('in string literal');
      this.#at++;
      text += this.#escape() + this.#match(this.#plainText);
    }
    this.#at++;
    return text.isWellFormed() ? text : text.toWellFormed();
  }

  #escape(): string {
    const letter = this.#text[this.#at] ?? '';
    if (letter === 'u') return this.#unicodeEscape();
    const character = Object.hasOwn(simpleEscapes, letter) ? simpleEscapes[letter] : undefined;
    if (character === undefined) throw this.#unexpectedInside('in string escape code');
    this.#at++;
    return character;
  }

  #unicodeEscape(): string {
    this.#at++;
    const start = this.#at;
    for (; this.#at < start + 4; this.#at++) {
      if (!/[0-9A-Fa-f]/.test(this.#text[this.#at] ?? '')) {
        throw this.#unexpectedInside(String.raw`in \u hexadecimal character escape`);
      }
    }
    return String.fromCharCode(Number.parseInt(this.#text.slice(start, this.#at), 16));
  }

  #skipWhitespace(): void {
    this.#match(this.#whitespace);
  }

  #skipIf(character: string): boolean {
    this.#skipWhitespace();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [matched = ''] = pattern.exec(this.#text) ?? [];
    this.#at += matched.length;
    return matched;
  }

  #unexpected(where: string): GoError {
    if (this.#at >= this.#text.length) return new GoError('unexpected end of JSON input');
    return this.#unexpectedInside(where);
  }

  /** Go treats the end of the text as a space inside a word or a number. */
  #unexpectedInside(where: string): GoError {
    const text = `invalid character ${quoteByte(this.#text.slice(this.#at, this.#at + 2))} ${where}`;
    return new JsonSyntaxError(text, this.#at);
  }
}

/** Quotes the first byte of a text as Go does. */
function quoteByte(text: string): string {
  if (text === '') return "' '";
  const character = String.fromCharCode(toBytes(text)[0] ?? 0);
  if (character === "'") return String.raw`'\''`;
  if (character === '"') return `'"'`;
  return `'${quote(character).slice(1, -1)}'`;
}
