import { Buffer } from 'node:buffer';
import { normalize, toBytes } from '../go/text.ts';
import type { GoObject, Value } from '../go/value.ts';
import type { LetterOrder } from './key-order.ts';
import { formatFloat, parseInteger } from './number.ts';
import { YamlError } from './yaml-error.ts';

/** A scalar to write: a YAML literal such as a number, or a string that may need quotes. */
export type Leaf = { word: string } | { text: string; tag?: string };

/** The fields of a struct, in the order in which they are written. */
export type Fields = readonly (readonly [name: string, value: Value])[];

/** The differences between Go's two YAML writers. */
export interface Dialect {
  readonly width: number;
  readonly letterOrder: LetterOrder;
  /** Whether a list under a key is indented. */
  readonly indentLists: boolean;
  readonly tabsInLiterals: boolean;
  /** Whether Go's nil map and nil slice are written as null instead of empty. */
  readonly nilIsNull: boolean;
  number(value: number): string;
  string(text: string): Leaf;
  key(text: string): Leaf;
  bytes(value: Uint8Array): Value;
  /**
   * Returns the representation of a value whose type has methods: another value, a leaf, or the
   * fields of a struct.
   */
  object(object: GoObject): { value: Value } | { leaf: Leaf } | { fields: Fields };
}

/**
 * Keys longer than this, or with a YAML 1.1 line break in them, are not recognized as keys
 * when the JSON text is read as YAML.
 */
const maxJsonKey = 1022;

/**
 * `sigs.k8s.io/yaml`: converts the value to JSON, reads that as YAML, and writes it with go-yaml
 * v2.
 */
export const sigsDialect: Dialect = {
  width: 80,
  letterOrder: 'digits-first',
  indentLists: false,
  tabsInLiterals: false,
  nilIsNull: true,
  number: jsonNumber,
  string: (text) => ({ text: viaJson(text) }),
  key(text) {
    const isUnreadable = text.includes('\x85') || (text.length * 6 > maxJsonKey && jsonLength(text) > maxJsonKey);
    if (isUnreadable) throw new YamlError("yaml: did not find expected ',' or '}'");
    return { text: viaJson(text) };
  },
  bytes: (value) => Buffer.from(value).toString('base64'),
  object(object) {
    if (['func', 'chan', 'complex64', 'complex128'].includes(object.kind))
      throw notJson(`unsupported type: ${object.goType}`);
    const value = object.json() ?? object.underlying() ?? object.contents();
    return { value: value ?? new Map(object.jsonMembers()) };
  },
};

/** go-yaml v3 with an indentation of 2, as in `toYamlPretty`. */
export const prettyDialect: Dialect = {
  width: Infinity,
  letterOrder: 'letters-first',
  indentLists: true,
  tabsInLiterals: true,
  nilIsNull: false,
  number: formatFloat,
  string: plainOrBinary,
  key: plainOrBinary,
  bytes: (value) => Array.from(value),
  object(object) {
    const json = object.json();
    if (object.goType === 'time.Time' && typeof json === 'string') return { leaf: { word: json } };
    if (object.goType === 'time.Duration') return { value: object.text() ?? '' };
    const value = json ?? object.underlying() ?? object.contents();
    if (value !== undefined) return { value };
    return { fields: object.fields().map((name) => [name.toLowerCase(), object.field(name) ?? null]) };
  },
};

/** Returns the error for a value that JSON cannot represent. */
export function notJson(reason: string): YamlError {
  return new YamlError(`error marshaling into JSON: json: ${reason}`);
}

function jsonNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value);
  if (!Number.isFinite(value)) {
    throw notJson(`unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`);
  }
  const whole = parseInteger(String(value));
  return whole === undefined ? formatFloat(value) : String(whole);
}

/** Returns what remains of a string after it was written as JSON and read as YAML. */
function viaJson(text: string): string {
  if (!/[\x7f-\x9f\ud800-\udfff\ufffe\uffff]/.test(text)) return text;
  const clean = normalize(text).toWellFormed();
  if (/[\x7f-\x84\x86-\x9f\ufffe\uffff]/.test(clean)) throw new YamlError('yaml: control characters are not allowed');
  return clean.replace(/(?<! ) *\x85[ \x85]*/g, (fold) => {
    const lines = fold.replaceAll(' ', '').length;
    return lines === 1 ? ' ' : '\n'.repeat(lines - 1);
  });
}

/** Returns the length of a string in Go's JSON. */
function jsonLength(text: string): number {
  let length = 0;
  for (const character of text) {
    if (/["\\\n\r\t\b\f]/.test(character)) length += 2;
    else length += /[\0-\x1f<>&\u2028\u2029]/.test(character) ? 6 : 1;
  }
  return length;
}

function plainOrBinary(text: string): Leaf {
  const clean = normalize(text);
  if (clean.isWellFormed()) return { text: clean };
  const base64 = Buffer.from(toBytes(clean)).toString('base64');
  return { tag: '!!binary', text: base64.length < 70 ? base64 : base64.replace(/.{1,70}/g, '$&\n') };
}
