import { format, sprint, sprintf, sprintln } from '../../go/fmt.ts';
import { isPrint } from '../../go/printable.ts';
import { normalize, toBytes } from '../../go/text.ts';
import { goTypeOf, truth } from '../../go/types.ts';
import { GoError, GoObject, int, type Value } from '../../go/value.ts';
import { equal, equalsAny, less, lessOrEqual } from './compare.ts';
import type { Slot } from './frame.ts';
import { indexValue, lengthOf, sliceValue } from './index-value.ts';
import { printed } from './print.ts';

/**
 * A built-in function of the template language. `reflect.Value` parameters accept any result of an
 * operand, including no value.
 */
export interface Builtin {
  readonly params: readonly string[];
  readonly variadic: boolean;
  readonly call: (...args: never[]) => Slot;
  /** Whether it can return a nil that is a value. */
  readonly nullable: boolean;
}

const any = 'interface {}';
const value = 'reflect.Value';

function fixed(params: readonly string[], call: Builtin['call']): Builtin {
  return { params, variadic: false, call, nullable: false };
}

function variadic(params: readonly string[], call: Builtin['call'], nullable = false): Builtin {
  return { params, variadic: true, call, nullable };
}

/** The function `call`. It always fails, because no template value is a function. */
function callValue(name: string, callee: Slot): Slot {
  if (callee === undefined || callee === null) throw new GoError('call of nil');
  throw new GoError(`non-function ${name} of type ${goTypeOf(callee)}`);
}

function unreachable(): never {
  throw new GoError('unreachable');
}

/** Go's built-in functions, by name. */
export const builtins: ReadonlyMap<string, Builtin> = new Map([
  ['and', variadic([value, value], unreachable, true)],
  ['call', variadic([value, value], callValue, true)],
  ['eq', variadic([value, value], equalsAny)],
  ['ge', fixed([value, value], (a: Slot, b: Slot) => !less(a, b))],
  ['gt', fixed([value, value], (a: Slot, b: Slot) => !lessOrEqual(a, b))],
  ['html', variadic([any], escapeHtml)],
  ['index', variadic([value, value], indexValue, true)],
  ['js', variadic([any], escapeJs)],
  ['le', fixed([value, value], lessOrEqual)],
  ['len', fixed([value], (item: Slot) => int(lengthOf(item)))],
  ['lt', fixed([value, value], less)],
  ['ne', fixed([value, value], (a: Slot, b: Slot) => !equal(a, b))],
  ['not', fixed([value], (item: Slot) => item === undefined || !truth(item))],
  ['or', variadic([value, value], unreachable, true)],
  ['print', variadic([any], (...values: Value[]) => sprint(values))],
  ['printf', variadic(['string', any], (format: string, ...values: Value[]) => sprintf(format, values))],
  ['println', variadic([any], (...values: Value[]) => sprintln(values))],
  ['slice', variadic([value, value], sliceValue, true)],
  ['urlquery', variadic([any], escapeUrlQuery)],
]);

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
function escapeHtml(...values: Value[]): string {
  return joined(values).replace(/[\0"'&<>]/g, (character) => htmlEscapes[character] ?? character);
}

/** The function `js`. */
function escapeJs(...values: Value[]): string {
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
function escapeUrlQuery(...values: Value[]): string {
  return Array.from(toBytes(joined(values)), (byte) => {
    if (byte === 0x20) return '+';
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9_.~-]/.test(character) ? character : `%${hex(byte, 2)}`;
  }).join('');
}
