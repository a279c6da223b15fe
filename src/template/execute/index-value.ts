import { byteLength, sliceBytes, toBytes } from '../../go/text.ts';
import { goTypeOf, isList, isMap } from '../../go/types.ts';
import { GoError, GoObject, Int, NamedMap, type Value } from '../../go/value.ts';
import { elementType, zeroValue } from './argument-type.ts';
import type { Slot } from './frame.ts';

/** Returns the contents of a named type or pointer, or the value itself. */
function contentsOf(value: NonNullable<Value>): NonNullable<Value> {
  if (!(value instanceof GoObject)) return value;
  return value.contents() ?? value.underlying() ?? value;
}

/** Returns Go's type of a value; for a pointer, the type of its target. */
function typeOfTarget(value: Value): string {
  const type = goTypeOf(value);
  return value instanceof GoObject && value.kind === 'ptr' ? type.slice(1) : type;
}

/** The function `len`. */
export function lengthOf(value: Slot): number {
  if (value === undefined) throw new GoError('reflect: call of reflect.Value.Type on zero Value');
  if (value === null) throw new GoError('len of nil pointer');
  const contents = contentsOf(value);
  if (typeof contents === 'string') return byteLength(contents);
  if (isMap(contents)) return contents.size;
  if (isList(contents) || contents instanceof Uint8Array) return contents.length;
  throw new GoError(`len of type ${typeOfTarget(value)}`);
}

/** The function `index`. */
export function indexValue(value: Slot, ...indexes: Slot[]): Slot {
  if (value === undefined || value === null) throw new GoError('index of untyped nil');
  return indexes.reduce<Slot>((item, index) => indexOnce(item ?? null, index ?? null), value);
}

function indexOnce(item: Value, index: Value): Slot {
  if (item === null) throw new GoError('index of nil pointer');
  const contents = contentsOf(item);
  if (isMap(contents)) return contents.get(mapKey(index)) ?? absent(item);
  if (typeof contents === 'string') {
    const bytes = toBytes(contents);
    const byte = bytes[position(index, bytes.length)];
    if (byte === undefined) throw new GoError('reflect: string index out of range');
    return new Int('uint8', BigInt(byte));
  }
  if (contents instanceof Uint8Array) {
    const byte = contents[position(index, contents.length)];
    if (byte === undefined) throw new GoError('reflect: slice index out of range');
    return new Int('uint8', BigInt(byte));
  }
  if (!isList(contents)) throw new GoError(`can't index item of type ${typeOfTarget(item)}`);
  const element = contents[position(index, contents.length)];
  if (element === undefined) throw new GoError('reflect: slice index out of range');
  return element;
}

function absent(map: Value): Value {
  return map instanceof NamedMap || map instanceof GoObject ? zeroValue(elementType(map)) : null;
}

function mapKey(index: Value): string {
  if (typeof index === 'string') return index;
  if (index === null) throw new GoError('value is nil; should be of type string');
  throw new GoError(`value has type ${goTypeOf(index)}; should be string`);
}

/** Converts an index to a number; throws if it exceeds `limit`. */
function position(index: Value, limit: number): number {
  if (index === null) throw new GoError('cannot index slice/array with nil');
  const number = index instanceof GoObject ? index.underlying() : index;
  if (!(number instanceof Int)) throw new GoError(`cannot index slice/array with type ${goTypeOf(index)}`);
  const at = BigInt.asIntN(64, number.value);
  if (at < 0n || at > BigInt(limit)) throw new GoError(`index out of range: ${at}`);
  return Number(at);
}

/** The function `slice`. */
export function sliceValue(value: Slot, ...indexes: Slot[]): Slot {
  if (value === undefined || value === null) throw new GoError('slice of untyped nil');
  if (indexes.length > 3) throw new GoError(`too many slice indexes: ${indexes.length}`);
  const contents = contentsOf(value);
  if (typeof contents === 'string' && indexes.length === 3) throw new GoError('cannot 3-index slice a string');
  if (typeof contents !== 'string' && !isList(contents) && !(contents instanceof Uint8Array)) {
    throw new GoError(`can't slice item of type ${typeOfTarget(value)}`);
  }
  const length = lengthOf(contents);
  const [from = 0, to = length, capacity = length] = indexes.map((index) => position(index ?? null, length));
  if (from > to) throw new GoError(`invalid slice index: ${from} > ${to}`);
  if (to > capacity) throw new GoError(`invalid slice index: ${to} > ${capacity}`);
  return typeof contents === 'string' ? sliceBytes(contents, from, to) : contents.slice(from, to);
}
