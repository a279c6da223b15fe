import { byteLength, normalize, toBytes } from '../go/text.ts';
import { GoObject, Int, NamedMap, Slice } from '../go/value.ts';
import type { Value } from '../go/value.ts';
import { compareKeys } from './key-order.ts';
import type { LetterOrder } from './key-order.ts';
import { formatFloat, parseInteger } from './number.ts';
import { Output } from './output.ts';
import { chooseStyle, isMultiline } from './scalar-style.ts';
import { writeDoubleQuoted, writeLiteral, writePlain, writeSingleQuoted } from './scalar-writer.ts';
import { YamlError } from './yaml-error.ts';

/** A leaf as it will stand in the text: words of YAML's own, or a string that may need quotes. */
type Leaf = { word: string } | { text: string; tag?: string };

/** What the two writers of Go do differently. */
interface Dialect {
  readonly width: number;
  readonly letterOrder: LetterOrder;
  /** Whether a list under a key is indented. */
  readonly indentLists: boolean;
  readonly tabsInLiterals: boolean;
  number(value: number): string;
  string(text: string): Leaf;
  key(text: string): Leaf;
  bytes(value: Uint8Array): Value;
}

/** Keys longer than this, or with a line break of YAML 1.1 in them, are no longer seen as keys when the JSON text is read as YAML. */
const maxJsonKey = 1022;

/** `sigs.k8s.io/yaml`: the value becomes JSON, is read as YAML, and written by go-yaml v2. */
const sigs: Dialect = {
  width: 80,
  letterOrder: 'digits-first',
  indentLists: false,
  tabsInLiterals: false,
  number(value) {
    if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value);
    if (!Number.isFinite(value)) {
      const name = Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
      throw new YamlError(`error marshaling into JSON: json: unsupported value: ${name}`);
    }
    const whole = parseInteger(String(value));
    return whole === undefined ? formatFloat(value) : String(whole);
  },
  string: (text) => ({ text: throughJson(text) }),
  key(text) {
    const lost = text.includes('\x85') || (text.length * 6 > maxJsonKey && jsonLength(text) > maxJsonKey);
    if (lost) throw new YamlError("yaml: did not find expected ',' or '}'");
    return { text: throughJson(text) };
  },
  bytes: (value) => Buffer.from(value).toString('base64'),
};

/** go-yaml v3 with an indentation of 2, as `toYamlPretty` uses it. */
const pretty: Dialect = {
  width: Infinity,
  letterOrder: 'letters-first',
  indentLists: true,
  tabsInLiterals: true,
  number: formatFloat,
  string: plainOrBinary,
  key: plainOrBinary,
  bytes: (value) => Array.from(value),
};

/** Writes a value as `sigs.k8s.io/yaml`'s Marshal does, with the final newline. Throws {@link YamlError}. */
export function writeYaml(value: Value): string {
  return write(value, sigs);
}

/** Writes a value as Helm's `toYamlPretty` does, with the final newline. Throws {@link YamlError}. */
export function writeYamlPretty(value: Value): string {
  return write(value, pretty);
}

function write(value: Value, dialect: Dialect): string {
  const out = new Output(dialect.width);
  writeNode(out, value, dialect, -2, false);
  out.indent = 0;
  out.breakLine();
  return out.text;
}

/** Writes a node below a collection of that indentation; -2 is the root's. */
function writeNode(out: Output, value: Value, dialect: Dialect, indent: number, isListUnderKey: boolean): void {
  if (value instanceof GoObject) writeNode(out, contentOf(value), dialect, indent, isListUnderKey);
  else if (value instanceof Uint8Array) writeNode(out, dialect.bytes(value), dialect, indent, isListUnderKey);
  else if (value instanceof Map && !(value instanceof NamedMap && value.isNil))
    writeMap(out, value, dialect, indent + 2);
  else if (Array.isArray(value) && !(value instanceof Slice && value.isNil)) {
    writeList(out, value as readonly Value[], dialect, isListUnderKey && !dialect.indentLists ? indent : indent + 2);
  } else {
    out.indent = indent + 2 || 2;
    writeLeaf(out, leafOf(value, dialect), dialect, true);
  }
}

function writeMap(out: Output, map: ReadonlyMap<string, Value>, dialect: Dialect, indent: number): void {
  if (map.size === 0) {
    writeEmpty(out, '{}');
    return;
  }
  const keys = Array.from(map.keys()).sort((a, b) => compareKeys(a, b, dialect.letterOrder));
  for (const key of keys) {
    out.indent = indent;
    out.breakLine();
    const leaf = dialect.key(key);
    const value = map.get(key) ?? null;
    if (isSimpleKey(leaf)) {
      writeLeaf(out, leaf, dialect, false);
      out.colon();
      writeNode(out, value, dialect, indent, true);
    } else {
      out.mark('?');
      out.indent = indent + 2;
      writeLeaf(out, leaf, dialect, true);
      out.indent = indent;
      out.breakLine();
      out.mark(':');
      writeNode(out, value, dialect, indent, false);
    }
  }
}

function writeList(out: Output, items: readonly Value[], dialect: Dialect, indent: number): void {
  if (items.length === 0) {
    writeEmpty(out, '[]');
    return;
  }
  for (const item of items) {
    out.indent = indent;
    out.breakLine();
    out.mark('-');
    writeNode(out, item, dialect, indent, false);
  }
}

function writeEmpty(out: Output, brackets: string): void {
  out.separate();
  out.put(brackets);
  out.endScalar();
}

function isSimpleKey(leaf: Leaf): boolean {
  if ('word' in leaf) return true;
  return !isMultiline(leaf.text) && byteLength(leaf.text) + (leaf.tag?.length ?? 0) <= 128;
}

function writeLeaf(out: Output, leaf: Leaf, dialect: Dialect, fold: boolean): void {
  if ('word' in leaf) {
    writePlain(out, leaf.word, fold);
    return;
  }
  if (leaf.tag !== undefined) {
    out.separate();
    out.put(leaf.tag);
    out.endScalar();
  }
  switch (
    leaf.tag === undefined
      ? chooseStyle(leaf.text, dialect.tabsInLiterals)
      : isMultiline(leaf.text)
        ? 'literal'
        : 'plain'
  ) {
    case 'plain':
      writePlain(out, leaf.text, fold);
      break;
    case 'single':
      writeSingleQuoted(out, leaf.text, fold);
      break;
    case 'double':
      writeDoubleQuoted(out, leaf.text, fold);
      break;
    case 'literal':
      writeLiteral(out, leaf.text);
      break;
  }
}

function leafOf(value: Exclude<Value, GoObject | Uint8Array>, dialect: Dialect): Leaf {
  if (typeof value === 'string') return dialect.string(value);
  if (typeof value === 'number') return { word: dialect.number(value) };
  if (value instanceof Int) return { word: String(value.value) };
  return { word: typeof value === 'boolean' ? String(value) : 'null' };
}

function contentOf(object: GoObject): Value {
  const json = object.json();
  if (json !== undefined) return json;
  return new Map(object.fields().map((name) => [name, object.field(name) ?? null]));
}

/** What is left of a string when it has been JSON and that has been read as YAML. */
function throughJson(text: string): string {
  if (!/[\x7f-\x9f\ud800-\udfff\ufffe\uffff]/.test(text)) return text;
  const clean = normalize(text).toWellFormed();
  if (/[\x7f-\x84\x86-\x9f\ufffe\uffff]/.test(clean)) throw new YamlError('yaml: control characters are not allowed');
  return clean.replace(/ *\x85[ \x85]*/g, (fold) => {
    const lines = fold.replaceAll(' ', '').length;
    return lines === 1 ? ' ' : '\n'.repeat(lines - 1);
  });
}

/** The characters of a string in Go's JSON. */
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
