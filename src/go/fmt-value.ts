import type { FloatFormat } from './float.ts';
import {
  type Flags,
  formatCharacter,
  formatFloating,
  formatHexBytes,
  formatInteger,
  formatQuoted,
  formatQuotedCharacter,
  formatString,
  formatUnicode,
  noFlags,
  pad,
} from './fmt-flags.ts';
import { nodeWeight, TextSize } from './limit-error.ts';
import { fromBytes, sortedKeys } from './text.ts';
import { Complex, goTypeOf, isList, isMap } from './types.ts';
import { GoObject, Int, NamedMap, NilPointer, Slice, type Value } from './value.ts';

/** How a value is printed: the verb, its flags, and the depth of the value below the argument. */
interface Context {
  readonly verb: string;
  readonly flags: Flags;
  readonly depth: number;
  /**
   * Whether `String()`, `Error()` and `GoString()` are called: not inside unexported fields, and
   * not in `%!d(type=value)`.
   */
  readonly methods: boolean;
  /** Size of the text printed so far for the parts of the argument. */
  readonly size: TextSize;
}

/** Address for the rare template that prints a pointer; in Go it differs in every run. */
const address = 0xc000012345n;

/**
 * Formats an argument of `printf` with its verb. The caller sets the flags for `%+v` and `%#v`.
 */
export function formatArgument(value: Value, verb: string, flags: Flags): string {
  if (value === null) return verb === 'T' || verb === 'v' ? pad('<nil>', flags) : `%!${verb}(<nil>)`;
  if (verb === 'T') return formatString(goTypeOf(value), flags);
  const context = { verb, flags, depth: 0, methods: true, size: new TextSize() };
  if (verb === 'p') return isPointer(value) ? formatAddress(value, context) : badVerb(value, context);
  if (value instanceof Uint8Array) return formatBytes(value, '[]byte', context);
  return formatValue(value, context);
}

/** Formats the target of a pointer as `%v` does, but without methods and without `&`. */
export function formatPointee(object: GoObject): string {
  return formatContents(object, object.goType.slice(1), {
    verb: 'v',
    flags: noFlags(),
    depth: 0,
    methods: true,
    size: new TextSize(),
  });
}

function isPointer(value: Value): boolean {
  if (value instanceof GoObject) return ['ptr', 'map', 'slice', 'func'].includes(value.kind);
  return typeof value === 'object' && !(value instanceof Int);
}

function formatValue(value: Value, context: Context): string {
  switch (typeof value) {
    case 'string':
      return formatText(value, value, context);
    case 'boolean':
      return context.verb === 't' || context.verb === 'v' ? pad(String(value), context.flags) : badVerb(value, context);
    case 'number':
      return formatNumber(value, value, context);
    default:
      if (value === null) return nilElement(context);
      if (value instanceof Int) return formatInt(value, value, context);
      if (value instanceof GoObject) return formatObject(value, context);
      if (context.verb === 'w' && context.methods) return badVerb(value, context);
      if (value instanceof Uint8Array) return formatBytes(value, '[]uint8', context);
      return isMap(value) ? formatMap(value, goTypeOf(value), context) : formatList(value, goTypeOf(value), context);
  }
}

function nilElement({ flags }: Context): string {
  return flags.sharpV ? 'interface {}(nil)' : '<nil>';
}

/** Reports a verb that does not fit the type: `%!d(string=a)`. */
function badVerb(value: Value, context: Context): string {
  const shown = formatValue(value, { ...context, verb: 'v', depth: 0, methods: false });
  return `%!${context.verb}(${goTypeOf(value)}=${shown})`;
}

function formatText(text: string, value: Value, context: Context): string {
  const { verb, flags } = context;
  switch (verb) {
    case 'v':
      return flags.sharpV ? formatQuoted(text, flags) : formatString(text, flags);
    case 's':
      return formatString(text, flags);
    case 'x':
    case 'X':
      return formatHexBytes(text, verb === 'X', flags);
    case 'q':
      return formatQuoted(text, flags);
    default:
      return badVerb(value, context);
  }
}

function formatInt(int: Int, value: Value, context: Context): string {
  const { verb, flags } = context;
  switch (verb) {
    case 'v':
      return flags.sharpV && int.kind.startsWith('u')
        ? formatHex(int.value, flags)
        : formatInteger(int.value, 10, flags);
    case 'd':
      return formatInteger(int.value, 10, flags);
    case 'b':
      return formatInteger(int.value, 2, flags);
    case 'o':
    case 'O':
      return formatInteger(int.value, 8, flags, { letterO: verb === 'O' });
    case 'x':
    case 'X':
      return formatInteger(int.value, 16, flags, { upper: verb === 'X' });
    case 'c':
      return formatCharacter(int.value, flags);
    case 'q':
      return formatQuotedCharacter(int.value, flags);
    case 'U':
      return formatUnicode(int.value, flags);
    default:
      return badVerb(value, context);
  }
}

function formatHex(value: bigint, flags: Flags, sharp = true): string {
  return formatInteger(value, 16, { ...flags, sharp });
}

const floatVerbs: ReadonlyMap<string, readonly [FloatFormat, number]> = new Map([
  ['v', ['g', -1]],
  ['b', ['b', -1]],
  ['g', ['g', -1]],
  ['G', ['G', -1]],
  ['x', ['x', -1]],
  ['X', ['X', -1]],
  ['e', ['e', 6]],
  ['E', ['E', 6]],
  ['f', ['f', 6]],
  ['F', ['f', 6]],
]);

function formatNumber(number: number, value: Value, context: Context): string {
  const float = floatVerbs.get(context.verb);
  return float === undefined ? badVerb(value, context) : formatFloating(number, float[0], float[1], context.flags);
}

function formatComplex(value: Complex, context: Context): string {
  const float = floatVerbs.get(context.verb);
  if (float === undefined) return badVerb(value, context);
  const real = formatFloating(value.real, float[0], float[1], context.flags);
  const imaginary = formatFloating(value.imaginary, float[0], float[1], { ...context.flags, plus: true });
  return `(${real}${imaginary}i)`;
}

function formatBytes(bytes: Uint8Array, name: string, context: Context): string {
  const { verb, flags } = context;
  const typeName = verb === 'w' ? '[]uint8' : name;
  switch (verb) {
    case 's':
      return formatString(fromBytes(bytes), flags);
    case 'x':
    case 'X':
      return formatHexBytes(bytes, verb === 'X', flags);
    case 'q':
      return formatQuoted(fromBytes(bytes), flags);
    default: {
      const inner = nested(context);
      const textOf = (byte: number) => formatValue(new Int('uint8', BigInt(byte)), inner);
      return flags.sharpV ? `${typeName}{${printBytes(bytes, textOf, ', ')}}` : `[${printBytes(bytes, textOf, ' ')}]`;
    }
  }
}

function nested(context: Context): Context {
  context.size.nest(context.depth);
  return { ...context, depth: context.depth + 1 };
}

function formatMap(map: ReadonlyMap<string, Value>, typeName: string, context: Context): string {
  if (context.flags.sharpV && map instanceof NamedMap && map.isNil) return `${typeName}(nil)`;
  const inner = nested(context);
  const entries = sortedKeys(map).map((key) => {
    return `${formatValue(key, inner)}:${formatInner(map.get(key) ?? null, inner, key.length)}`;
  });
  return context.flags.sharpV ? `${typeName}{${entries.join(', ')}}` : `map[${entries.join(' ')}]`;
}

/** Formats an element of a map or list, and adds its size; nested containers add their own. */
function formatInner(value: Value, context: Context, keyLength: number): string {
  const text = formatValue(value, context);
  context.size.add(keyLength + (isMap(value) || isList(value) ? nodeWeight : text.length));
  return text;
}

function formatList(list: readonly Value[], typeName: string, context: Context): string {
  const { sharpV } = context.flags;
  if (sharpV && list instanceof Slice && list.isNil) return `${typeName}(nil)`;
  const inner = nested(context);
  const items = Array.from(list, (item) => formatInner(item, inner, 0));
  return sharpV ? `${typeName}{${items.join(', ')}}` : `[${items.join(' ')}]`;
}

function formatObject(object: GoObject, context: Context): string {
  if (context.methods) {
    if (context.verb === 'w') return badVerb(object, context);
    const shown = formatByMethod(object, context);
    if (shown !== undefined) return shown;
  }
  return formatByKind(object, context);
}

function formatByMethod(object: GoObject, context: Context): string | undefined {
  if (context.flags.sharpV) {
    const text = object.goString();
    return text === undefined ? undefined : formatString(text, context.flags);
  }
  if (!['v', 's', 'x', 'X', 'q'].includes(context.verb)) return undefined;
  const text = object.text();
  return text === undefined ? undefined : formatText(text, object, context);
}

function formatByKind(object: GoObject, context: Context): string {
  if (object instanceof Complex) return formatComplex(object, context);
  const underlying = object.underlying();
  if (underlying !== undefined) return formatUnderlying(underlying, object, context);
  if (object.kind === 'ptr') {
    if (context.depth > 0 || object instanceof NilPointer) return formatAddress(object, context);
    return `&${formatContents(object, object.goType.slice(1), nested(context))}`;
  }
  return object.kind === 'func' ? formatAddress(object, context) : formatContents(object, object.goType, context);
}

function formatUnderlying(value: boolean | number | string | Int, object: GoObject, context: Context): string {
  switch (typeof value) {
    case 'string':
      return formatText(value, object, context);
    case 'number':
      return formatNumber(value, object, context);
    case 'boolean':
      return context.verb === 't' || context.verb === 'v'
        ? pad(String(value), context.flags)
        : badVerb(object, context);
    default:
      return formatInt(value, object, context);
  }
}

function formatContents(object: GoObject, typeName: string, context: Context): string {
  const contents = object.contents();
  if (isMap(contents)) return formatMap(contents, typeName, context);
  if (isList(contents)) return formatList(contents, typeName, context);
  return formatStruct(object, typeName, context);
}

function formatStruct(object: GoObject, typeName: string, context: Context): string {
  const { plusV, sharpV } = context.flags;
  const members = object.members().map(([name, value]) => {
    const exported = /^\p{Lu}/u.test(name);
    const shown = formatValue(value, { ...nested(context), methods: context.methods && exported });
    return plusV || sharpV ? `${name}:${shown}` : shown;
  });
  return sharpV ? `${typeName}{${members.join(', ')}}` : `{${members.join(' ')}}`;
}

function formatAddress(value: Value, context: Context): string {
  const { verb, flags } = context;
  const at = isNil(value) ? 0n : address;
  if (verb === 'v' && flags.sharpV) return `(${goTypeOf(value)})(${at === 0n ? 'nil' : formatHex(at, flags)})`;
  if (verb === 'v' && at === 0n) return pad('<nil>', flags);
  if (verb === 'v' || verb === 'p') return formatHex(at, flags, !flags.sharp);
  if (['b', 'o', 'd', 'x', 'X'].includes(verb)) return formatInt(new Int('uint64', at), value, context);
  return badVerb(value, context);
}

function isNil(value: Value): boolean {
  return value instanceof NilPointer || ((value instanceof NamedMap || value instanceof Slice) && value.isNil);
}

const chunkSize = 64 * 1024;

/**
 * Joins the texts of bytes, where `textOf` returns Latin-1. It formats each of the 256 byte values
 * only once, because charts can print files of many megabytes.
 */
function printBytes(bytes: Uint8Array, textOf: (byte: number) => string, separator: string): string {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1;
  const texts = Array.from(counts, (count, byte) => (count === 0 ? '' : textOf(byte) + separator));
  const units = Buffer.from(texts.join(''), 'latin1');
  const ends = new Uint32Array(256);
  for (const [byte, text] of texts.entries()) ends[byte] = (ends[byte - 1] ?? 0) + text.length;

  const longest = Math.max(...texts.map(({ length }) => length));
  const chunk = Buffer.allocUnsafe(Math.min(bytes.length, chunkSize) * longest);
  let printed = '';
  for (let start = 0; start < bytes.length; start += chunkSize) {
    const stop = Math.min(start + chunkSize, bytes.length);
    let at = 0;
    for (let i = start; i < stop; i++) {
      const byte = bytes[i] ?? 0;
      const end = ends[byte] ?? 0;
      for (let unit = ends[byte - 1] ?? 0; unit < end; unit++) chunk[at++] = units[unit] ?? 0;
    }
    printed += chunk.toString('latin1', 0, stop === bytes.length ? at - separator.length : at);
  }
  return printed;
}
