import { formatDuration, parseDuration } from '../../go/duration.ts';
import { formatFloat } from '../../go/float.ts';
import { parseFloat64, parseInteger, parseUnsigned } from '../../go/parse-number.ts';
import { quote } from '../../go/strconv.ts';
import { commaList } from '../comma-list.ts';

/** The value of a flag. Durations are in nanoseconds. */
export type FlagValue = string | boolean | number | bigint | readonly string[] | ReadonlyMap<string, string>;

/** A flag by the rules of Go's pflag. */
export interface Flag {
  name: string;
  /** One letter. */
  shorthand?: string;
  usage: string;
  /** The type as the help shows it; `bool` is not shown. */
  type: string;
  /** The value of a flag that is not given. */
  initial: FlagValue;
  /** The default as the help shows it. Undefined if it is the zero value of its type. */
  shownDefault?: string | undefined;
  /** The text that the flag has if it is given without a value. Default: a value is required. */
  withoutValue?: string;
  /** The advice of a deprecated flag, which is hidden. */
  deprecated?: string;
  isHidden?: boolean;
  /** Error for a flag that is known and not allowed. Default: it is allowed. */
  refusal?: string;
  /**
   * Returns the value for a text. `before` is the value so far, and undefined if the flag was not
   * given before. Throws an error with Go's text.
   */
  read(text: string, before: FlagValue | undefined): FlagValue;
}

type Details = Pick<Flag, 'shorthand' | 'deprecated' | 'isHidden'>;

/** Returns a switch. */
export function switchFlag(name: string, usage: string, details: Details & { initial?: boolean } = {}): Flag {
  const { initial = false, ...rest } = details;
  const shown = initial ? 'true' : undefined;
  return { name, usage, type: 'bool', initial, shownDefault: shown, withoutValue: 'true', read: readSwitch, ...rest };
}

export function textFlag(
  name: string,
  usage: string,
  details: Details & { initial?: string; withoutValue?: string } = {},
): Flag {
  const { initial = '', ...rest } = details;
  const shown = initial === '' ? undefined : quote(initial);
  return { name, usage, type: 'string', initial, shownDefault: shown, read: (text) => text, ...rest };
}

export function integerFlag(name: string, usage: string, details: Details & { initial?: number } = {}): Flag {
  const { initial = 0, ...rest } = details;
  return { name, usage, type: 'int', initial, shownDefault: shownNumber(initial), read: readInteger, ...rest };
}

/** Returns a flag with a number that is not negative. */
export function unsignedFlag(name: string, usage: string, details: Details & { initial?: number } = {}): Flag {
  return { ...integerFlag(name, usage, details), type: 'uint', read: readUnsigned };
}

export function floatFlag(name: string, usage: string, details: Details & { initial?: number } = {}): Flag {
  const { initial = 0, ...rest } = details;
  return { name, usage, type: 'float32', initial, shownDefault: shownNumber(initial), read: readFloat, ...rest };
}

/** @param initial in nanoseconds. */
export function durationFlag(name: string, usage: string, details: Details & { initial?: bigint } = {}): Flag {
  const { initial = 0n, ...rest } = details;
  const shown = initial === 0n ? undefined : formatDuration(initial);
  return { name, usage, type: 'duration', initial, shownDefault: shown, read: parseDuration, ...rest };
}

/** Returns a flag that can be given more than once, each time with one item. */
export function listFlag(name: string, usage: string, details: Details & { initial?: readonly string[] } = {}): Flag {
  const { initial = [], ...rest } = details;
  const read = (text: string, before: FlagValue | undefined) => [...listOf(before), text];
  return { name, usage, type: 'stringArray', initial, shownDefault: shownList(initial), read, ...rest };
}

/** Returns a flag that can be given more than once, each time with items between commas. */
export function commaListFlag(name: string, usage: string, details: Details = {}): Flag {
  const read = (text: string, before: FlagValue | undefined) => [...listOf(before), ...commaList(text)];
  return { name, usage, type: 'strings', initial: [], read, ...details };
}

/** Returns a flag with entries such as `a=1,b=2`, which can be given more than once. */
export function pairsFlag(name: string, usage: string, details: Details = {}): Flag {
  const read = (text: string, before: FlagValue | undefined) => new Map([...pairsOf(before), ...mapEntries(text)]);
  return { name, usage, type: 'stringToString', initial: new Map(), shownDefault: '[]', read, ...details };
}

/** Returns a flag with a type of its own. `check` throws an error for a text that is not valid. */
export function customFlag(
  type: string,
  name: string,
  usage: string,
  details: Details & { initial?: string; withoutValue?: string; check?: (text: string) => string } = {},
): Flag {
  const { initial = '', check = (text: string) => text, ...rest } = details;
  return { name, usage, type, initial, shownDefault: initial || undefined, read: check, ...rest };
}

const truths: Readonly<Record<string, boolean>> = {
  ...{ '1': true, t: true, T: true, TRUE: true, true: true, True: true },
  ...{ '0': false, f: false, F: false, FALSE: false, false: false, False: false },
};

/** Go's strconv.ParseBool. */
export function parseBool(text: string): boolean | undefined {
  return Object.hasOwn(truths, text) ? truths[text] : undefined;
}

function readSwitch(text: string): boolean {
  const isOn = parseBool(text);
  if (isOn === undefined) throw new Error(`strconv.ParseBool: parsing ${quote(text)}: invalid syntax`);
  return isOn;
}

function readInteger(text: string): number {
  const { value, error } = parseInteger(text, 0);
  if (error !== undefined) throw new Error(error);
  return Number(value);
}

function readUnsigned(text: string): number {
  const { value, error } = parseUnsigned(text, 0);
  if (error !== undefined) throw new Error(error);
  return Number(value);
}

function readFloat(text: string): number {
  const { value, error } = parseFloat64(text);
  if (error !== undefined) throw new Error(error);
  return Math.fround(value);
}

function listOf(value: FlagValue | undefined): readonly string[] {
  return isList(value) ? value : [];
}

function pairsOf(value: FlagValue | undefined): ReadonlyMap<string, string> {
  return isPairs(value) ? value : new Map<string, string>();
}

export function isPairs(value: FlagValue | undefined): value is ReadonlyMap<string, string> {
  return value instanceof Map;
}

export function isList(value: FlagValue | undefined): value is readonly string[] {
  return Array.isArray(value);
}

function shownNumber(value: number): string | undefined {
  return value === 0 ? undefined : formatFloat(value, 'g', -1);
}

function shownList(items: readonly string[]): string | undefined {
  return items.length === 0 ? undefined : `[${items.join(',')}]`;
}

/**
 * Reads entries such as `a=1,b=2` as pflag's `stringToString` does. Throws an error with Go's text.
 */
function mapEntries(text: string): [name: string, value: string][] {
  const isSingle = text.split('=').length === 2;
  const entries = isSingle ? [text.replace(/^"|"$/g, '')] : commaList(text);
  return entries.map(entryOf);
}

function entryOf(entry: string): [name: string, value: string] {
  const [, name, value] = /^([^=]*)=(.*)$/s.exec(entry) ?? [];
  if (name === undefined || value === undefined) throw new Error(`${entry} must be formatted as key=value`);
  return [name, value];
}
