import { byteLength } from '../go/text.ts';
import { goTypeOf } from '../go/types.ts';
import { GoObject, Int, NamedMap, Slice, type Value } from '../go/value.ts';
import { type Dialect, type Fields, type Leaf, notJson, prettyDialect, sigsDialect } from './dialect.ts';
import { compareKeys } from './key-order.ts';
import { Output } from './output.ts';
import { needsQuotes } from './resolve.ts';
import { writeDoubleQuoted, writeLiteral, writePlain, writeSingleQuoted } from './scalar-writer.ts';

/** Depth below which Go checks for values that contain themselves. */
const cycleSearchDepth = 1000;

interface Writing {
  readonly out: Output;
  readonly dialect: Dialect;
  /** The collections being written, innermost last. */
  readonly open: Value[];
}

/**
 * Writes a value as `Marshal` of `sigs.k8s.io/yaml` does, with the final newline. Throws
 * `YamlError`.
 */
export function writeYaml(value: Value): string {
  return write(value, sigsDialect);
}

/** Writes a value as Helm's `toYamlPretty` does, with the final newline. Throws `YamlError`. */
export function writeYamlPretty(value: Value): string {
  return write(value, prettyDialect);
}

function write(value: Value, dialect: Dialect): string {
  const out = new Output(dialect.width);
  writeNode({ out, dialect, open: [] }, value, -2, false);
  out.indent = 0;
  out.breakLine();
  return out.text;
}

/** Writes a node inside a collection with the given indentation; -2 for the root. */
function writeNode(writing: Writing, value: Value, indent: number, isUnderKey: boolean): void {
  if (typeof value !== 'object' || value === null || value instanceof Int)
    writeScalar(writing, leafOf(writing, value), indent);
  else if (value instanceof GoObject) writeObject(writing, value, indent, isUnderKey);
  else if (value instanceof Uint8Array) writeNode(writing, writing.dialect.bytes(value), indent, isUnderKey);
  else if ((value instanceof NamedMap || value instanceof Slice) && value.isNil && writing.dialect.nilIsNull) {
    writeScalar(writing, { word: 'null' }, indent);
  } else writeCollection(writing, value, indent, isUnderKey);
}

function writeObject(writing: Writing, object: GoObject, indent: number, isUnderKey: boolean): void {
  const form = writing.dialect.object(object);
  if ('value' in form) writeNode(writing, form.value, indent, isUnderKey);
  else if ('leaf' in form) writeScalar(writing, form.leaf, indent);
  else writeFields(writing, form.fields, indent + 2);
}

function writeCollection(
  writing: Writing,
  value: readonly Value[] | ReadonlyMap<string, Value>,
  indent: number,
  isUnderKey: boolean,
): void {
  const { dialect, open } = writing;
  if (open.length > cycleSearchDepth && open.includes(value)) {
    throw notJson(`unsupported value: encountered a cycle via ${goTypeOf(value)}`);
  }
  open.push(value);
  writing.out.openCollection();
  if (value instanceof Map) {
    const map: ReadonlyMap<string, Value> = value;
    const fields = Array.from(map).sort(([a], [b]) => compareKeys(a, b, dialect.letterOrder));
    writeFields(writing, fields, indent + 2);
  } else if (Array.isArray(value)) {
    writeItems(writing, value as readonly Value[], isUnderKey && !dialect.indentLists ? indent : indent + 2);
  }
  open.pop();
}

function writeFields(writing: Writing, fields: Fields, indent: number): void {
  const { out, dialect } = writing;
  if (fields.length === 0) writeEmpty(out, '{}');
  for (const [key, value] of fields) {
    out.indent = indent;
    out.breakLine();
    const leaf = dialect.key(key);
    if (isSimpleKey(leaf)) {
      writeLeaf(writing, leaf, false);
      out.colon();
    } else {
      out.mark('?');
      out.indent = indent + 2;
      writeLeaf(writing, leaf, true);
      out.indent = indent;
      out.breakLine();
      out.mark(':');
    }
    writeNode(writing, value, indent, isSimpleKey(leaf));
  }
}

function writeItems(writing: Writing, items: readonly Value[], indent: number): void {
  const { out } = writing;
  if (items.length === 0) writeEmpty(out, '[]');
  for (const item of items) {
    out.indent = indent;
    out.breakLine();
    out.mark('-');
    writeNode(writing, item, indent, false);
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

function leafOf({ dialect }: Writing, value: string | number | boolean | Int | null): Leaf {
  if (typeof value === 'string') return dialect.string(value);
  if (typeof value === 'number') return { word: dialect.number(value) };
  return { word: value === null ? 'null' : String(value instanceof Int ? value.value : value) };
}

function writeScalar(writing: Writing, leaf: Leaf, indent: number): void {
  // lines of a root scalar are indented too
  writing.out.indent = Math.max(indent + 2, 2);
  writeLeaf(writing, leaf, true);
}

function writeLeaf({ out, dialect }: Writing, leaf: Leaf, fold: boolean): void {
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

/** Style of a written scalar. */
type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

const simple = /^[a-zA-Z/_$][\w$./-]*(?: [\w$./-]+)*$/;

const lineBreak = /[\n\r\x85\u2028\u2029]/;

// go-yaml's writer treats all characters beyond the basic plane as unprintable
const unprintable = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;

const unprintableButTab = /[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;

const startIndicator = /^(?:[#,[\]{}&*!|>'"%@`]|[?:-](?:[ \t]|$)|---|\.\.\.)/;

const innerIndicator = /.:(?:[ \t]|$)|[ \t\n\r\x85\u2028\u2029\0]#/su;

const outerSpace = /^[ \n\r\x85\u2028\u2029]|[ \n\r\x85\u2028\u2029]$/;

const breakThenSpace = /[\n\r\x85\u2028\u2029] /;

const spaceThenBreak = / [\n\r\x85\u2028\u2029]/;

/** Whether a text contains a YAML 1.1 line break. */
function isMultiline(text: string): boolean {
  return lineBreak.test(text);
}

/**
 * Chooses the style as go-yaml does.
 * @param tabsInLiterals Whether text with tabs may be a literal block, as in version 3.
 */
function chooseStyle(text: string, tabsInLiterals: boolean): ScalarStyle {
  if (simple.test(text) && !needsQuotes(text)) return 'plain';
  if (text.includes('\n')) return literalAllowed(text, tabsInLiterals) ? 'literal' : 'double';
  if (needsQuotes(text)) return 'double';
  if (plainAllowed(text)) return 'plain';
  return singleAllowed(text) ? 'single' : 'double';
}

function plainAllowed(text: string): boolean {
  return (
    !lineBreak.test(text) &&
    !outerSpace.test(text) &&
    !unprintable.test(text) &&
    !startIndicator.test(text) &&
    !innerIndicator.test(text)
  );
}

function singleAllowed(text: string): boolean {
  return !unprintable.test(text) && !breakThenSpace.test(text) && !spaceThenBreak.test(text);
}

function literalAllowed(text: string, tabsInLiterals: boolean): boolean {
  return (
    !text.endsWith(' ') && !spaceThenBreak.test(text) && !(tabsInLiterals ? unprintableButTab : unprintable).test(text)
  );
}
