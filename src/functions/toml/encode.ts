import { Duration } from '../../go/duration.ts';
import { formatFloat } from '../../go/float.ts';
import { nodeWeight, TextSize } from '../../go/limit-error.ts';
import { sortedKeys } from '../../go/text.ts';
import { Time } from '../../go/time.ts';
import { kindOf } from '../../go/types.ts';
import { GoError, GoObject, Int, NamedMap, Slice, type Value } from '../../go/value.ts';
import { elementsOf } from '../support/elements.ts';
import { quoteToml, tomlKey, tomlKeyPart } from './key.ts';

/**
 * Encodes a value as BurntSushi's TOML encoder does. Throws its errors as {@link TomlEncodeError}.
 */
export function encodeToml(value: Value): string {
  if (value === null) throw new GoError('reflect: call of reflect.Value.Type on zero Value');
  measure(value, new TextSize(), 0);
  const encoder = new Encoder();
  encoder.write([], value);
  return encoder.text;
}

/** Throws before a result that would be too large is built. */
function measure(value: Value, size: TextSize, depth: number): void {
  const parts =
    membersOf(value)?.map(([, member]) => member) ?? (Array.isArray(value) ? (value as readonly Value[]) : []);
  size.add(typeof value === 'string' ? value.length : nodeWeight);
  size.nest(depth);
  for (const part of parts) measure(part, size, depth + 1);
}

/** A value that has no TOML representation. */
export class TomlEncodeError extends GoError {
  override readonly name: string = 'TomlEncodeError';
}

type TomlKind = 'scalar' | 'array' | 'table' | 'tables';
type Member = readonly [name: string, value: Value];

class Encoder {
  text = '';

  /** Writes a value under its key. An empty key means the document itself. */
  write(key: readonly string[], value: Value): void {
    if (isNil(value)) return;
    const members = membersOf(value);
    if (members !== undefined) {
      this.#writeTable(key, members);
    } else if (kindOfToml(value) === 'tables') {
      this.#writeTables(key, elementsOf(value) ?? []);
    } else if (key.length === 0) {
      this.text += element(value);
    } else {
      this.text += `${indentation(key)}${tomlKeyPart(key.at(-1) ?? '')} = ${element(value)}\n`;
    }
  }

  #writeTable(key: readonly string[], members: readonly Member[]): void {
    if (key.length === 1) this.#writeSeparator();
    if (key.length > 0) this.text += `${indentation(key)}[${tomlKey(key)}]\n`;
    this.#writeMembers(key, members);
  }

  #writeTables(key: readonly string[], tables: readonly Value[]): void {
    if (key.length === 0) throw new TomlEncodeError('toml: top-level values must be Go maps or structs');
    for (const table of tables) {
      if (isNil(table)) continue;
      this.#writeSeparator();
      this.text += `${indentation(key)}[[${tomlKey(key)}]]\n`;
      this.#writeMembers(key, membersOf(table) ?? []);
    }
  }

  #writeMembers(key: readonly string[], members: readonly Member[]): void {
    for (const [name, value] of scalarsFirst(members).flat()) this.write([...key, name], value);
  }

  #writeSeparator(): void {
    if (this.text !== '') this.text += '\n';
  }
}

function indentation(key: readonly string[]): string {
  return '  '.repeat(key.length - 1);
}

/** Tables come last, because everything after their header belongs to them. */
function scalarsFirst(members: readonly Member[]): readonly [Member[], Member[]] {
  const isTable = members.map(([, value]) => ['table', 'tables'].includes(kindOfToml(value) ?? ''));
  return [members.filter((_, i) => isTable[i] !== true), members.filter((_, i) => isTable[i] === true)];
}

/** Returns the TOML type of a value, or undefined for nil. Throws if a list contains nil. */
function kindOfToml(value: Value): TomlKind | undefined {
  if (isNil(value)) return undefined;
  if (membersOf(value) !== undefined) return 'table';
  const elements = isMarshaler(value) ? undefined : elementsOf(value);
  if (elements === undefined) {
    if (isUnsupported(value)) throw new TomlEncodeError(`unsupported type: ${kindOf(value)}`);
    return 'scalar';
  }
  const kinds = elements.map((item) => {
    const kind = kindOfToml(item);
    if (kind === undefined) throw new TomlEncodeError('toml: cannot encode array with nil element');
    return kind;
  });
  return kinds.length > 0 && kinds.every((kind) => kind === 'table') ? 'tables' : 'array';
}

/** Returns the members of a table: the keys of a map, the fields of a struct. */
function membersOf(value: Value): readonly Member[] | undefined {
  if (value instanceof Map) return sortedKeys(value).map((key) => [key, value.get(key) ?? null]);
  if (!(value instanceof GoObject) || isMarshaler(value)) return undefined;
  const contents = value.contents();
  if (contents instanceof Map) return membersOf(contents);
  if (value.kind !== 'struct' && value.kind !== 'ptr') return undefined;
  return value.fields().map((name) => [name, value.field(name) ?? null]);
}

function isNil(value: Value): boolean {
  return value === null || ((value instanceof NamedMap || value instanceof Slice) && value.isNil);
}

function isMarshaler(value: Value): boolean {
  return value instanceof GoObject && value.method('MarshalText') !== undefined;
}

function isUnsupported(value: Value): boolean {
  return value instanceof GoObject && value.underlying() === undefined && !isMarshaler(value);
}

function element(value: Value): string {
  if (typeof value === 'string') return quoteToml(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return float(value);
  if (value instanceof Int) return value.value.toString();
  if (value instanceof GoObject) return object(value);
  const members = membersOf(value);
  if (members !== undefined) return inlineTable(members);
  return `[${(elementsOf(value) ?? []).map(element).join(', ')}]`;
}

function object(value: GoObject): string {
  if (value instanceof Time) return dateTime(value);
  if (value instanceof Duration || isMarshaler(value)) return quoteToml(value.text() ?? '');
  const members = membersOf(value);
  if (members !== undefined) return inlineTable(members);
  const plain = value.underlying() ?? value.contents() ?? null;
  if (plain === null) throw new TomlEncodeError(`unexpected type: ${value.goType}`);
  return element(plain);
}

const localLayouts: ReadonlyMap<string, string> = new Map([
  ['datetime-local', '2006-01-02T15:04:05.999999999'],
  ['date-local', '2006-01-02'],
  ['time-local', '15:04:05.999999999'],
]);

function dateTime(time: Time): string {
  return time.format(localLayouts.get(time.zone.name) ?? '2006-01-02T15:04:05.999999999Z07:00');
}

function float(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  const text = formatFloat(value, 'g', -1);
  return /[e.]/.test(text) ? text : `${text}.0`;
}

/** Writes a table on one line. As in Go, there is an extra comma if its last member is nil. */
function inlineTable(members: readonly Member[]): string {
  const [scalars, tables] = scalarsFirst(members);
  const write = (group: readonly Member[], more: boolean): string =>
    group
      .map(([name, value], i) => {
        if (isNil(value)) return '';
        return `${tomlKeyPart(name)} = ${element(value)}${more || i < group.length - 1 ? ', ' : ''}`;
      })
      .join('');
  return `{${write(scalars, tables.length > 0)}${write(tables, false)}}`;
}
