import { formatFloat } from '../../go/float.ts';
import { format } from '../../go/fmt.ts';
import { quote } from '../../go/strconv.ts';
import type { Value } from '../../go/value.ts';
import { pointerOf } from './pointer.ts';

/** Tree of reasons why a value does not match a schema: causes are the failures below. */
export interface Failure {
  /** Path of the value. */
  readonly path: readonly string[];
  readonly text: string;
  /** A group is shown as its causes, a reference with one cause as that cause. */
  readonly role: 'keyword' | 'group' | 'reference';
  readonly causes: readonly Failure[];
}

/** Formats a failure as in Helm's message, one line per failure. */
export function failureLines(failure: Failure): string {
  const causes = failure.role === 'group' ? failure.causes : [failure];
  return causes.map((cause) => lines(cause, 0)).join('');
}

function lines(failure: Failure, depth: number): string {
  const skipped = failure.role === 'reference' && failure.causes.length === 1;
  const own = skipped ? '' : `${'  '.repeat(depth)}- at ${quoteText(pointerOf(failure.path))}: ${failure.text}\n`;
  return own + failure.causes.map((cause) => lines(cause, skipped ? depth : depth + 1)).join('');
}

/** Returns a text in single quotes, escaped as in Go. */
export function quoteText(text: string): string {
  return `'${quote(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** Returns texts in single quotes, separated by commas. */
export function quoteTexts(list: readonly string[]): string {
  return list.map(quoteText).join(', ');
}

/** Formats a value for a message. */
export function display(value: Value): string {
  if (typeof value === 'string') return quoteText(value);
  if (Array.isArray(value) || value instanceof Map) return 'value';
  return typeof value === 'number' ? String(value) : format(value);
}

/** Formats a count with thousands separators. */
export function displayCount(count: number): string {
  return count.toLocaleString('en-US');
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/**
 * Formats a number as Helm's validator does: with thousands separators, or as `1.5×10⁰⁶` if large
 * or small.
 */
export function displayNumber(value: number): string {
  const text = formatFloat(value, 'g', -1);
  const [mantissa = '', exponent] = text.split('e');
  if (exponent === undefined)
    return text.replace(/^(-?)(\d+)/, (_, sign: string, whole: string) => sign + displayCount(Number(whole)));
  const power = exponent
    .replace('+', '')
    .replace('-', '⁻')
    .replace(/\d/g, (digit) => superscripts.charAt(Number(digit)));
  return `${mantissa}×10${power}`;
}
