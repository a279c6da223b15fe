import { normalize, sortStrings } from '../go/text.ts';
import { NamedMap, Slice, type Int, type Value } from '../go/value.ts';
import { onBytesIfNeeded } from './byte-text.ts';
import { elementsOf } from './elements.ts';
import type { FunctionFamily } from './family.ts';
import { checkBytes, type FunctionLimits } from './limits.ts';
import { stringOf, stringsOf } from './string-of.ts';

/** Sprig's functions between strings and lists of strings. */
export function splittingFunctions(limits: FunctionLimits): FunctionFamily {
  return {
    split: {
      params: ['string', 'string'],
      call: (separator: string, text: string) => numbered(split(text, separator)),
    },
    splitn: {
      params: ['string', 'int', 'string'],
      call: (separator: string, count: Int, text: string) =>
        numbered(splitAtMost(text, separator, Number(count.value))),
    },
    splitList: {
      params: ['string', 'string'],
      call: (separator: string, text: string) => new Slice('string', split(text, separator)),
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

/** Go's `strings.Split`: without a separator into characters. */
function split(text: string, separator: string): string[] {
  if (separator === '') return Array.from(normalize(text));
  return onBytesIfNeeded((t, s) => t.split(s), text, separator);
}

/** Go's `strings.SplitN`: all parts for a negative count, else at most so many. */
function splitAtMost(text: string, separator: string, count: number): string[] {
  if (count === 0) return [];
  const parts = split(text, separator);
  if (count < 0 || parts.length <= count) return parts;
  return [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

function numbered(parts: readonly string[]): NamedMap {
  return new NamedMap(
    'map[string]string',
    parts.map((part, index) => [`_${index}`, part]),
  );
}

/** Sorts the strings of a list; a list that is one of strings already is sorted itself. */
function sortAlpha(list: Value): Slice {
  if (elementsOf(list) === undefined) return new Slice('string', [stringOf(list)]);
  const strings = stringsOf(list);
  // all elements of a slice of strings are strings
  sortStrings(strings as unknown as string[]);
  return strings;
}
