import { formatFloat } from '../../go/float.ts';
import { format } from '../../go/fmt.ts';
import { quote } from '../../go/strconv.ts';
import type { Value } from '../../go/value.ts';
import { pointerOf } from './pointer.ts';

/** Why a value does not fit a schema, as a tree: what failed below is the reason of what failed above. */
export interface Failure {
  /** Where the value is. */
  readonly path: readonly string[];
  readonly text: string;
  /** A group stands for its causes, a reference with one cause for that. */
  readonly role: 'keyword' | 'group' | 'reference';
  readonly causes: readonly Failure[];
}

/** The failure as the lines of Helm's message, each with a newline. */
export function failureLines(failure: Failure): string {
  const causes = failure.role === 'group' ? failure.causes : [failure];
  return causes.map((cause) => lines(cause, 0)).join('');
}

function lines(failure: Failure, depth: number): string {
  const skipped = failure.role === 'reference' && failure.causes.length === 1;
  const own = skipped ? '' : `${'  '.repeat(depth)}- at ${quoteText(pointerOf(failure.path))}: ${failure.text}\n`;
  return own + failure.causes.map((cause) => lines(cause, skipped ? depth : depth + 1)).join('');
}

/** A text in single quotes, escaped as Go does. */
export function quoteText(text: string): string {
  return `'${quote(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** Texts in single quotes with commas between them. */
export function quoteTexts(list: readonly string[]): string {
  return list.map(quoteText).join(', ');
}

/** A value in a message. */
export function display(value: Value): string {
  if (typeof value === 'string') return quoteText(value);
  if (Array.isArray(value) || value instanceof Map) return 'value';
  return typeof value === 'number' ? String(value) : format(value);
}

/** A count as English text has it: thousands apart. */
export function displayCount(count: number): string {
  return count.toLocaleString('en-US');
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A number as Helm's validator writes it: thousands apart, large and small ones as `1.5×10⁰⁶`. */
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
