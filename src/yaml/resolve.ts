import { parseInteger } from './number.ts';

/** The type and value of a plain scalar. */
export type Resolved =
  | { tag: 'null'; value: null }
  | { tag: 'bool'; value: boolean }
  | { tag: 'int'; value: bigint }
  | { tag: 'float'; value: number }
  | { tag: 'timestamp' | 'str'; value: string };

const words = new Map<string, Resolved>([
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, { tag: 'null', value: null }] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, { tag: 'bool', value: true }] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, { tag: 'bool', value: false }] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, { tag: 'float', value: NaN }] as const),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map(
    (word) => [word, { tag: 'float', value: Infinity }] as const,
  ),
  ...['-.inf', '-.Inf', '-.INF'].map((word) => [word, { tag: 'float', value: -Infinity }] as const),
]);

const oldBooleans = new Map<string, Resolved>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'].map((word) => [word, { tag: 'bool', value: true }] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'].map((word) => [word, { tag: 'bool', value: false }] as const),
]);

const decimalFloat = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const dottedFloat = /^\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?$/;
const mayBeSpecial = /^[-+0-9.yYnNtTfFoO~]/;
const timestamp =
  /^(\d{4})-(\d\d?)-(\d\d?)(?:[Tt](\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?(?:Z|[-+](\d\d):(\d\d))| +(\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?)?$/;
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/**
 * Resolves the text of a plain scalar by the rules of YAML 1.1, as go-yaml v2 does.
 * @param mayBeTimestamp False for a scalar with another tag, which is never a timestamp.
 */
export function resolvePlain(text: string, mayBeTimestamp = true): Resolved {
  if (text !== '' && !mayBeSpecial.test(text)) return { tag: 'str', value: text };
  const word = words.get(text) ?? oldBooleans.get(text);
  if (word !== undefined) return word;
  const first = text.charAt(0);
  if (first === '.') return resolveDotted(text);
  if (/[-+0-9]/.test(first)) return resolveNumber(text, mayBeTimestamp);
  return { tag: 'str', value: text };
}

function resolveDotted(text: string): Resolved {
  const value = dottedFloat.test(text) ? Number(text.replaceAll('_', '')) : Infinity;
  return Number.isFinite(value) ? { tag: 'float', value } : { tag: 'str', value: text };
}

function resolveNumber(text: string, mayBeTimestamp: boolean): Resolved {
  if (mayBeTimestamp && isTimestamp(text)) return { tag: 'timestamp', value: text };
  const plain = text.replaceAll('_', '');
  const whole = parseInteger(plain);
  if (whole !== undefined) return { tag: 'int', value: whole };
  const value = decimalFloat.test(plain) ? Number(plain) : Infinity;
  return Number.isFinite(value) ? { tag: 'float', value } : { tag: 'str', value: text };
}

function isTimestamp(text: string): boolean {
  const match = timestamp.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, hourT, minuteT, secondT, zoneHour = 0, zoneMinute = 0, hour, minute, second] =
    match.slice(1).map((part: string | undefined) => (part === undefined ? undefined : Number(part)));
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysIn(year, month) &&
    (hourT ?? hour ?? 0) < 24 &&
    (minuteT ?? minute ?? 0) < 60 &&
    (secondT ?? second ?? 0) < 60 &&
    zoneHour <= 24 &&
    zoneMinute <= 60
  );
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/**
 * Whether a text written plain would be read as another value than the string; both of Go's writers
 * quote such a text.
 */
export function needsQuotes(text: string): boolean {
  if (text !== '' && !mayBeSpecial.test(text)) return false;
  return resolvePlain(text).tag !== 'str' || base60.test(text);
}
