import { format } from '../go/fmt.ts';
import { isSpace } from '../go/space.ts';
import { quote } from '../go/strconv.ts';
import { normalize } from '../go/text.ts';
import { GoError, type Int, type Value } from '../go/value.ts';
import { checkBytes, type FunctionLimits } from './limits.ts';
import { fromByteText, onBytesIfNeeded, sliceChecked, toByteText } from './support/byte-text.ts';
import type { FunctionFamily } from './support/family.ts';
import { stringOf } from './support/string-of.ts';

const one = ['string'] as const;
const two = ['string', 'string'] as const;

/** Sprig's functions that search and cut strings. */
export function stringFunctions(limits: FunctionLimits): FunctionFamily {
  return {
    hello: { params: [], call: () => 'Hello!' },
    trim: { params: one, call: trimSpace },
    trimAll: { params: two, call: trimSet },
    trimall: { params: two, call: trimSet },
    trimSuffix: {
      params: two,
      call: (suffix: string, text: string) =>
        onBytesIfNeeded((s, t) => (s !== '' && t.endsWith(s) ? t.slice(0, -s.length) : t), suffix, text),
    },
    trimPrefix: {
      params: two,
      call: (prefix: string, text: string) =>
        onBytesIfNeeded((p, t) => (t.startsWith(p) ? t.slice(p.length) : t), prefix, text),
    },
    contains: {
      params: two,
      call: (part: string, text: string) => onBytesIfNeeded((p, t) => t.includes(p), part, text),
    },
    hasPrefix: {
      params: two,
      call: (part: string, text: string) => onBytesIfNeeded((p, t) => t.startsWith(p), part, text),
    },
    hasSuffix: {
      params: two,
      call: (part: string, text: string) => onBytesIfNeeded((p, t) => t.endsWith(p), part, text),
    },
    replace: {
      params: ['string', 'string', 'string'],
      call: (from: string, to: string, text: string) => replace(from, to, text, limits),
    },
    repeat: {
      params: ['int', 'string'],
      call: (count: Int, text: string) => repeat(text, Number(count.value), limits),
    },
    substr: {
      params: ['int', 'int', 'string'],
      call: (start: Int, end: Int, text: string) => substring(Number(start.value), Number(end.value), text),
    },
    trunc: { params: ['int', 'string'], call: (count: Int, text: string) => truncate(Number(count.value), text) },
    nospace: { params: one, call: deleteWhiteSpace },
    plural: {
      params: ['string', 'string', 'int'],
      call: (single: string, many: string, count: Int) => (count.value === 1n ? single : many),
    },
  };
}

function trimSpace(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace(text.charAt(start))) start++;
  while (end > start && isSpace(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Go's `strings.Trim`: removes characters of the set from both ends. */
function trimSet(set: string, text: string): string {
  const characters = Array.from(normalize(text));
  const unwanted = new Set(normalize(set));
  let [start, end] = [0, characters.length];
  while (start < end && unwanted.has(characters[start] ?? '')) start++;
  while (end > start && unwanted.has(characters[end - 1] ?? '')) end--;
  return characters.slice(start, end).join('');
}

function replace(from: string, to: string, text: string, limits: FunctionLimits): string {
  const replaced =
    from === ''
      ? [to, ...Array.from(normalize(text)).map((character) => character + to)].join('')
      : onBytesIfNeeded((f, t, s) => s.replaceAll(f, () => t), from, to, text);
  checkBytes(replaced.length, limits);
  return replaced;
}

/** Go's `strings.Repeat`. */
function repeat(text: string, count: number, limits: FunctionLimits): string {
  if (count < 0) throw new GoError('strings: negative Repeat count');
  checkBytes(text.length * count, limits);
  return text.repeat(text === '' ? 0 : count);
}

function substring(start: number, end: number, text: string): string {
  const bytes = toByteText(text);
  if (start < 0) return fromByteText(sliceChecked(bytes, undefined, end));
  return fromByteText(sliceChecked(bytes, start, end < 0 || end > bytes.length ? undefined : end));
}

function truncate(count: number, text: string): string {
  if (count >= 0 && text.length * 3 <= count) return text;
  const bytes = toByteText(text);
  if (count < 0) return bytes.length + count > 0 ? fromByteText(bytes.slice(count)) : text;
  return bytes.length > count ? fromByteText(bytes.slice(0, count)) : text;
}

/**
 * goutils' `DeleteWhiteSpace`: if the text contains white space, every byte counts as a character.
 */
function deleteWhiteSpace(text: string): string {
  const bytes = toByteText(text);
  const kept = Array.from(bytes)
    .filter((byte) => !isSpace(byte))
    .join('');
  return kept.length === bytes.length ? text : kept;
}

const values = { params: ['interface {}'], variadic: true } as const;

/** Sprig's functions that quote, concatenate and indent text. */
export function quotingFunctions(limits: FunctionLimits): FunctionFamily {
  return {
    quote: {
      ...values,
      call: (...items: Value[]) => joinWithSpaces(items, limits, (item) => quote(stringOf(item))),
    },
    squote: {
      ...values,
      call: (...items: Value[]) => joinWithSpaces(items, limits, (item) => `'${format(item)}'`),
    },
    cat: {
      ...values,
      call: (...items: Value[]) => joinWithSpaces(items, limits, format),
    },
    indent: { params: ['int', 'string'], call: (spaces: Int, text: string) => indent(spaces, text, limits) },
    nindent: { params: ['int', 'string'], call: (spaces: Int, text: string) => `\n${indent(spaces, text, limits)}` },
  };
}

/** Joins the items that are not nil with spaces. */
function joinWithSpaces(items: readonly Value[], limits: FunctionLimits, show: (item: Value) => string): string {
  let size = 0;
  const texts = items
    .filter((item) => item !== null)
    .map((item) => {
      const text = show(item);
      size += text.length;
      checkBytes(size, limits);
      return text;
    });
  return texts.join(' ');
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function indent(spaces: Int, text: string, limits: FunctionLimits): string {
  const pad = repeat(' ', Number(spaces.value), limits);
  checkBytes(text.length + countLines(text) * pad.length, limits);
  return pad + text.replaceAll('\n', `\n${pad}`);
}
