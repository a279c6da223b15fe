import { normalize, sortStrings } from '../go/text.ts';
import { type Int, NamedMap, Slice, type Value } from '../go/value.ts';
import { checkBytes, checkElements, type FunctionLimits } from './limits.ts';
import { onBytesIfNeeded } from './support/byte-text.ts';
import { withExactCapacity } from './support/capacity.ts';
import { elementsOf } from './support/elements.ts';
import type { FunctionFamily } from './support/family.ts';
import { stringOf, stringsOf } from './support/string-of.ts';

/** Sprig's functions that convert between strings and lists of strings. */
export function splittingFunctions(limits: FunctionLimits): FunctionFamily {
  return {
    split: {
      params: ['string', 'string'],
      call: (separator: string, text: string) => numbered(split(text, separator, limits)),
    },
    splitn: {
      params: ['string', 'int', 'string'],
      call: (separator: string, count: Int, text: string) =>
        numbered(splitAtMost(text, separator, Number(count.value), limits)),
    },
    splitList: {
      params: ['string', 'string'],
      call: (separator: string, text: string) => withExactCapacity(new Slice('string', split(text, separator, limits))),
    },
    join: {
      params: ['string', 'interface {}'],
      call: (separator: string, list: Value) => join(stringsOf(list), separator, limits),
    },
    toStrings: { params: ['interface {}'], call: stringsOf },
    sortAlpha: { params: ['interface {}'], call: sortAlpha },
  };
}

function join(strings: Slice, separator: string, limits: FunctionLimits): string {
  // all elements of a slice of strings are strings
  const size = (strings as unknown as readonly string[]).reduce((sum, text) => sum + text.length, 0);
  checkBytes(size + strings.length * separator.length, limits);
  return normalize(strings.join(separator));
}

/** Go's `strings.Split`: an empty separator splits into characters. */
function split(text: string, separator: string, limits: FunctionLimits): string[] {
  const most = limits.listElements + 1;
  const parts =
    separator === '' ? characters(text, most) : onBytesIfNeeded((t, s) => t.split(s, most), text, separator);
  checkElements(parts.length, limits);
  return parts;
}

/** Returns the first `most` characters of a text. */
function characters(text: string, most: number): string[] {
  return Array.from(normalize(text.slice(0, 2 * most))).slice(0, most);
}

/** Go's `strings.SplitN`: returns at most `count` parts, or all if `count` is negative. */
function splitAtMost(text: string, separator: string, count: number, limits: FunctionLimits): string[] {
  if (count === 0) return [];
  const parts = split(text, separator, limits);
  if (count < 0 || parts.length <= count) return parts;
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

function numbered(parts: readonly string[]): NamedMap {
  return new NamedMap(
    'map[string]string',
    parts.map((part, index) => [`_${index}`, part]),
  );
}

/** Returns the elements as sorted strings. A `[]string` is sorted in place, as in Sprig. */
function sortAlpha(list: Value): Slice {
  if (elementsOf(list) === undefined) return withExactCapacity(new Slice('string', [stringOf(list)]));
  const strings = stringsOf(list);
  // all elements of a slice of strings are strings
  sortStrings(strings as unknown as string[]);
  return strings;
}
