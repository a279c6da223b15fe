import { format, sprint } from '../../go/fmt.ts';
import { isPrint } from '../../go/printable.ts';
import { normalize, toBytes } from '../../go/text.ts';
import { GoObject, type Value } from '../../go/value.ts';
import { printed } from './print.ts';

const htmlEscapes: Readonly<Record<string, string>> = {
  '\0': '\ufffd',
  '"': '&#34;',
  "'": '&#39;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
};

const jsEscapes: Readonly<Record<string, string>> = {
  '\\': String.raw`\\`,
  "'": String.raw`\'`,
  '"': String.raw`\"`,
  '<': String.raw`\u003C`,
  '>': String.raw`\u003E`,
  '&': String.raw`\u0026`,
  '=': String.raw`\u003D`,
};

/** Joins the arguments of an escaping function as `print` does. */
function joined(values: readonly Value[]): string {
  const [first] = values;
  if (values.length === 1 && typeof first === 'string') return first;
  return sprint(
    values.map((value) => value ?? '<no value>'),
    argumentText,
  );
}

/**
 * Unlike an action, a function gets a copy of a non-pointer, without the methods that only a
 * pointer has.
 */
function argumentText(value: Value): string {
  return value instanceof GoObject && value.kind !== 'ptr' ? format(value) : printed(value);
}

/** The function `html`. */
export function escapeHtml(...values: Value[]): string {
  return joined(values).replace(/[\0"'&<>]/g, (character) => htmlEscapes[character] ?? character);
}

/** The function `js`. */
export function escapeJs(...values: Value[]): string {
  return normalize(joined(values)).replace(/[\0-\x1f\\'"<>&=]|[^\0-\x7f]/gu, escapeJsCharacter);
}

function escapeJsCharacter(character: string): string {
  const escaped = jsEscapes[character];
  if (escaped !== undefined) return escaped;
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x80) return `\\u${hex(point, 4)}`;
  // bytes that are not valid UTF-8 stay unchanged
  return isPrint(point) || !character.isWellFormed() ? character : `\\u${hex(point, 4)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}

/** The function `urlquery`. */
export function escapeUrlQuery(...values: Value[]): string {
  return Array.from(toBytes(joined(values)), (byte) => {
    if (byte === 0x20) return '+';
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9_.~-]/.test(character) ? character : `%${hex(byte, 2)}`;
  }).join('');
}
