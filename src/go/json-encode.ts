import { Buffer } from 'node:buffer';
import { format } from './fmt.ts';
import { nodeWeight, TextSize } from './limit-error.ts';
import { normalize, sortedKeys } from './text.ts';
import { goTypeOf, isMap } from './types.ts';
import { GoError, GoObject, Int, NamedMap, Slice, type Value } from './value.ts';

/** JSON output format. */
export interface JsonOptions {
  /** Whether to escape `<`, `>` and `&`, as `json.Marshal` does. */
  readonly escapeHtml: boolean;
  /** Indentation of each level. Default: no line breaks. */
  readonly indent?: string;
}

// Go checks for cycles only beyond this depth, which is far below the limit of the stack
const cycleSearchDepth = 1000;

/**
 * Encodes a value as Go's encoding/json does: keys sorted by bytes, bytes as base64. Throws Go's
 * error if JSON cannot represent the value.
 */
export function encodeJson(value: Value, options: JsonOptions): string {
  return new Encoder(options).encode(value, '\n');
}

class Encoder {
  readonly #escapes: RegExp;
  readonly #indent: string | undefined;
  readonly #open: object[] = [];
  readonly #size = new TextSize();

  constructor({ escapeHtml, indent }: JsonOptions) {
    this.#escapes = escapeHtml ? escapedInHtml : escaped;
    this.#indent = indent;
  }

  encode(value: Value, lineBreak: string): string {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        return number(value);
      case 'boolean':
        return String(value);
      default:
        return value === null ? 'null' : this.#object(value, lineBreak);
    }
  }

  #object(value: Exclude<Value, string | number | boolean | null>, lineBreak: string): string {
    if (value instanceof Int) return value.value.toString();
    if (value instanceof Uint8Array) this.#size.add(value.length);
    if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`;
    if (value instanceof GoObject) return this.#goObject(value, lineBreak);
    if ((value instanceof NamedMap || value instanceof Slice) && value.isNil) return 'null';
    this.#enter(value);
    const encoded = isMap(value) ? this.#map(value, lineBreak) : this.#list(value, lineBreak);
    this.#open.pop();
    return encoded;
  }

  #enter(value: Value & object): void {
    if (this.#open.length > cycleSearchDepth && this.#open.includes(value)) {
      throw new GoError(`json: unsupported value: encountered a cycle via ${goTypeOf(value)}`);
    }
    this.#open.push(value);
  }

  #map(map: ReadonlyMap<string, Value>, lineBreak: string): string {
    const members = sortedKeys(map).map((key) => [key, map.get(key) ?? null] as const);
    return this.#members(members, lineBreak);
  }

  #members(members: readonly (readonly [string, Value])[], lineBreak: string): string {
    const inner = lineBreak + (this.#indent ?? '');
    const colon = this.#indent === undefined ? ':' : ': ';
    const parts = members.map(([key, value]) => this.#text(key) + colon + this.encode(value, inner));
    return this.#enclose('{', parts, '}', lineBreak);
  }

  #list(list: readonly Value[], lineBreak: string): string {
    const inner = lineBreak + (this.#indent ?? '');
    return this.#enclose(
      '[',
      list.map((value) => this.encode(value, inner)),
      ']',
      lineBreak,
    );
  }

  #enclose(start: string, parts: readonly string[], end: string, lineBreak: string): string {
    this.#size.add(parts.length + nodeWeight);
    if (this.#indent === undefined || parts.length === 0) return start + parts.join(',') + end;
    const inner = lineBreak + this.#indent;
    return start + inner + parts.join(`,${inner}`) + lineBreak + end;
  }

  #goObject(object: GoObject, lineBreak: string): string {
    if (['func', 'chan', 'complex64', 'complex128'].includes(object.kind)) {
      throw new GoError(`json: unsupported type: ${object.goType}`);
    }
    const json = marshal(object);
    if (json !== undefined) return this.encode(json, lineBreak);
    const plain = object.underlying() ?? object.contents();
    if (plain !== undefined) return this.encode(plain, lineBreak);
    return this.#members(object.jsonMembers(), lineBreak);
  }

  #text(text: string): string {
    const characters = normalize(text);
    this.#size.add(characters.length);
    return `"${characters.replace(this.#escapes, escape)}"`;
  }
}

function marshal(object: GoObject): Value | undefined {
  try {
    return object.json();
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    throw new GoError(`json: error calling MarshalJSON for type ${object.goType}: ${error.message}`);
  }
}

/** Formats a float as Go's JSON does, which differs from JavaScript only for negative zero. */
function number(value: number): string {
  if (!Number.isFinite(value)) throw new GoError(`json: unsupported value: ${format(value)}`);
  return Object.is(value, -0) ? '-0' : String(value);
}

const escaped = /["\\\0-\x1f\u2028\u2029\ud800-\udfff]/gu;
const escapedInHtml = /["\\\0-\x1f<>&\u2028\u2029\ud800-\udfff]/gu;

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['"', String.raw`\"`],
  ['\\', String.raw`\\`],
  ['\b', String.raw`\b`],
  ['\f', String.raw`\f`],
  ['\n', String.raw`\n`],
  ['\r', String.raw`\r`],
  ['\t', String.raw`\t`],
]);

/**
 * Escapes a character. A lone surrogate, which represents a byte that is not valid UTF-8, becomes
 * U+FFFD.
 */
function escape(character: string): string {
  const short = shortEscapes.get(character);
  if (short !== undefined) return short;
  const unit = character.charCodeAt(0);
  const lone = unit >= 0xd800 && unit <= 0xdfff;
  return `\\u${(lone ? 0xfffd : unit).toString(16).padStart(4, '0')}`;
}
