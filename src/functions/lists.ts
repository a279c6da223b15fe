import { deepEqual } from '../go/deep-equal.ts';
import { normalize } from '../go/text.ts';
import { isList, kindOf } from '../go/types.ts';
import { GoError, type GoFunction, Int, Slice, type Value } from '../go/value.ts';
import { isEmpty } from './defaults.ts';
import { checkElements, type FunctionLimits } from './limits.ts';
import { appendedCapacity, partOf, withCapacity, withExactCapacity, withSpareElements } from './support/capacity.ts';
import { castInt, truncate } from './support/cast.ts';
import { elementsOf, listElements, nilDereference } from './support/elements.ts';
import type { FunctionFamily } from './support/family.ts';

const one = ['interface {}'] as const;
const two = ['interface {}', 'interface {}'] as const;

/** Returns a nil `[]interface {}`, which is Sprig's `rest` of an empty list. */
function nilList(): Slice {
  return new Slice('interface {}', null);
}

/** Sprig's functions over lists. None changes its argument. */
export function listFunctions(limits: FunctionLimits): FunctionFamily {
  return {
    list: { params: one, variadic: true, call: (...values: Value[]) => withExactCapacity(values) },
    tuple: { params: one, variadic: true, call: (...values: Value[]) => withExactCapacity(values) },
    ...both('first', one, (list: Value) => listElements(list, 'Cannot find first on type')[0] ?? null),
    ...both('last', one, (list: Value) => listElements(list, 'Cannot find last on type').at(-1) ?? null),
    ...both('rest', one, (list: Value) => {
      const elements = listElements(list, 'Cannot find rest on type');
      return elements.length === 0 ? nilList() : withExactCapacity(elements.slice(1));
    }),
    ...both('initial', one, (list: Value) => {
      const elements = listElements(list, 'Cannot find initial on type');
      return elements.length === 0 ? nilList() : withExactCapacity(elements.slice(0, -1));
    }),
    ...both('append', two, push),
    ...both('push', two, push),
    ...both('prepend', two, (list: Value, value: Value) => {
      const longer = [value, ...listElements(list, 'Cannot prepend on type')];
      return withCapacity(longer, appendedCapacity(1, longer.length));
    }),
    ...both('reverse', one, (list: Value) =>
      withExactCapacity(listElements(list, 'Cannot find reverse on type').toReversed()),
    ),
    ...both('compact', one, (list: Value) =>
      listElements(list, 'Cannot compact on type').filter((value) => !isEmpty(value)),
    ),
    ...both('uniq', one, uniq),
    ...both('without', two, without, true),
    ...both('has', two, has),
    ...both('slice', two, slice, true),
    ...both('chunk', ['int', 'interface {}'], chunk),
    concat: {
      params: one,
      variadic: true,
      call: (...lists: Value[]) => {
        const all = lists.map((list) => concatElements(list));
        checkElements(
          all.reduce((sum, list) => sum + list.length, 0),
          limits,
        );
        return all.every((list) => list.length === 0) ? nilList() : all.flat();
      },
    },
  };
}

/** Returns a function and its `must…` variant. In templates both fail with the same error. */
function both(name: string, params: readonly string[], call: GoFunction['call'], variadic = false): FunctionFamily {
  const definition = { params, call, variadic };
  return { [name]: definition, [`must${name.charAt(0).toUpperCase()}${name.slice(1)}`]: definition };
}

function push(list: Value, value: Value): Value[] {
  const elements = listElements(list, 'Cannot push on type');
  return withCapacity([...elements, value], appendedCapacity(elements.length, elements.length + 1));
}

function concatElements(list: Value): readonly Value[] {
  const elements = elementsOf(list);
  if (elements !== undefined) return elements;
  if (list === null) throw nilDereference();
  throw new GoError(`Cannot concat type ${kindOf(list)} as list`);
}

function uniq(list: Value): Value[] {
  const unique: Value[] = [];
  const buckets = new Map<string, Value[]>();
  for (const value of listElements(list, 'Cannot find uniq on type')) {
    const kind = hashOf(value);
    const others = buckets.get(kind) ?? [];
    if (others.some((other) => deepEqual(value, other))) continue;
    unique.push(value);
    others.push(value);
    buckets.set(kind, others);
  }
  return unique;
}

/** Returns a hash that is equal for equal values, so that few values need a full comparison. */
function hashOf(value: Value): string {
  if (typeof value !== 'object' || value === null)
    return `${typeof value} ${typeof value === 'string' ? normalize(value) : String(value)}`;
  if (value instanceof Int) return `${value.kind} ${value.value}`;
  return Array.isArray(value) ? `list ${value.length}` : value instanceof Map ? `map ${value.size}` : 'other';
}

function without(list: Value, ...unwanted: Value[]): Value[] {
  return listElements(list, 'Cannot find without on type').filter(
    (value) => !unwanted.some((other) => deepEqual(value, other)),
  );
}

function has(needle: Value, list: Value): boolean {
  return list !== null && listElements(list, 'Cannot find has on type').some((value) => deepEqual(needle, value));
}

function slice(list: Value, ...indices: Value[]): Value {
  const elements = listElements(list, 'list should be type of slice or array but');
  if (elements.length === 0) return null;
  const [from = 0, to = elements.length] = indices.map((index) => Number(castInt(index).value));
  const whole = to > elements.length && isList(list) ? withSpareElements(list) : elements;
  if (from < 0 || to < from || to > whole.length) throw new GoError('reflect.Value.Slice: slice index out of bounds');
  if (list instanceof Uint8Array) return list.subarray(from, to);
  const part = whole.slice(from, to);
  return partOf(list instanceof Slice ? new Slice(list.element, part) : part, isList(list) ? list : elements, to);
}

/**
 * Splits a list into lists of `size` elements; the last one may be shorter. Go computes their
 * number with floats.
 */
function chunk(size: Int, list: Value): Slice {
  const elements = listElements(list, 'Cannot chunk type');
  const [length, width] = [elements.length, Number(size.value)];
  const count = Number(truncate(Math.floor((length - 1) / width) + 1));
  const lastWidth = length % width || width;
  if (count < 0 || (count > 0 && (lastWidth < 0 || (count > 1 && width < 0)))) {
    throw new GoError('runtime error: makeslice: len out of range');
  }
  const pieces: Value[] = [];
  for (let i = 0; i < count; i++) {
    const start = i * width;
    pieces.push(withExactCapacity(elements.slice(start, start + (i === count - 1 ? lastWidth : width))));
  }
  return withExactCapacity(new Slice('[]interface {}', pieces));
}
