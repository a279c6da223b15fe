import { parseDecimalInteger } from '../../go/parse-number.ts';
import { quote, quoteRune } from '../../go/strconv.ts';
import { runes } from '../../go/text.ts';
import { goTypeOf } from '../../go/types.ts';
import type { Value, ValueList, ValueMap } from '../../go/value.ts';
import type { Scanner } from './scanner.ts';

/** An invalid `--set` argument. `message` is Helm's text. */
export class StrvalsError extends Error {
  override readonly name = 'StrvalsError';
  readonly code = 'values_invalid';
}

/** Largest index of a list (pkg/strvals/parser.go: MaxIndex). */
const maxIndex = 65_536;
/** Maximum number of empty list elements that one text may create. */
const maxFilled = 1_000_000;
/** Maximum nesting of names (pkg/strvals/parser.go: MaxNestedNameLevel). */
const maxDepth = 30;

/** Differences between the kinds of assignments. */
export interface Grammar {
  /** Whether commas separate assignments. */
  readonly commas: boolean;
  /** Whether a backslash escapes the next character. */
  readonly quoting: boolean;
  /** Reads the value after `=`, up to the next assignment. */
  readonly readValue: (scanner: Scanner) => ReadValue;
}

export interface ReadValue {
  value: Value;
  /** Whether the text ended before a value. */
  ended: boolean;
}

/** Parses `a.b[0]=x,c=y` and sets the values in `target`. Throws {@link StrvalsError}. */
export function readAssignments(scanner: Scanner, target: ValueMap, grammar: Grammar): void {
  const reader = new AssignmentReader(scanner, grammar);
  while (reader.assignment(target, 0) === 'more');
}

/** Whether more text may follow. As in Helm, a text that ends within a name is not an error. */
type Progress = 'more' | 'ended';

class AssignmentReader {
  readonly #scanner: Scanner;
  readonly #grammar: Grammar;
  #filled = 0;

  constructor(scanner: Scanner, grammar: Grammar) {
    this.#scanner = scanner;
    this.#grammar = grammar;
  }

  /** Reads a name with its value into `target`. */
  assignment(target: ValueMap, depth: number): Progress {
    const { commas, quoting } = this.#grammar;
    const { text: key, stop } = this.#scanner.until(commas ? '=[,.' : '=[.', quoting);
    switch (stop) {
      case undefined:
        if (key !== '') throw new StrvalsError(`key ${quote(key)} has no value`);
        return 'ended';
      case '=':
        return this.#value((value) => set(target, key, value));
      case '.':
        return this.#member(target, key, depth + 1);
      case '[':
        return this.#element(target, key, depth);
      default:
        throw new StrvalsError(`key ${quote(key)} has no value (cannot end with ,)`);
    }
  }

  #value(store: (value: Value) => void): Progress {
    const { value, ended } = this.#grammar.readValue(this.#scanner);
    store(value);
    return ended ? 'ended' : 'more';
  }

  #member(target: ValueMap, key: string, depth: number): Progress {
    if (depth > maxDepth) {
      throw new StrvalsError(`value name nested level is greater than maximum supported nested level of ${maxDepth}`);
    }
    const inner = target.has(key) ? asMap(target.get(key) ?? null) : new Map<string, Value>();
    const progress = this.assignment(inner, depth);
    if (inner.size > 0) set(target, key, inner);
    else if (progress === 'more') throw new StrvalsError(`key map ${quote(key)} has no value`);
    return progress;
  }

  #element(target: ValueMap, key: string, depth: number): Progress {
    const index = this.#index();
    if (index === undefined) return 'ended';
    const list = target.has(key) ? asList(target.get(key) ?? null) : [];
    const progress = this.#item(list, index, depth);
    set(target, key, list);
    return progress;
  }

  /** Reads the part after `[index]` into the list. */
  #item(list: ValueList, index: number, depth: number): Progress {
    if (index < 0) throw new StrvalsError(`negative ${index} index not allowed`);
    const { text, stop } = this.#scanner.until('[.=', this.#grammar.quoting);
    if (text !== '')
      throw new StrvalsError(`unexpected data at end of array index: [${runes(text).map(quoteRune).join(' ')}]`);
    switch (stop) {
      case undefined:
        return 'ended';
      case '=':
        this.#value((value) => this.#setIndex(list, index, value));
        return 'more';
      case '[':
        return this.#nestedItem(list, index, depth);
      default: {
        const inner = mapAt(list, index);
        const progress = this.assignment(inner, depth);
        if (progress === 'more') this.#setIndex(list, index, inner);
        return progress;
      }
    }
  }

  #nestedItem(list: ValueList, index: number, depth: number): Progress {
    const nested = this.#index();
    if (nested === undefined) return 'ended';
    const existing = list[index] ?? null;
    const inner = existing === null ? [] : asList(existing);
    const progress = this.#item(inner, nested, depth);
    if (progress === 'more') this.#setIndex(list, index, inner);
    return progress;
  }

  #setIndex(list: ValueList, index: number, value: Value): void {
    if (index > maxIndex) {
      throw new StrvalsError(`index of ${index} is greater than maximum supported index of ${maxIndex}`);
    }
    this.#filled += Math.max(0, index - list.length);
    if (this.#filled > maxFilled) throw new StrvalsError(`more than ${maxFilled} list elements would be empty`);
    while (list.length < index) list.push(null);
    list[index] = value;
  }

  /** Returns undefined if the text ends before the closing bracket. */
  #index(): number | undefined {
    const { text, stop } = this.#scanner.until(']', this.#grammar.quoting);
    if (stop === undefined) return undefined;
    const { value, error } = parseDecimalInteger(text);
    if (error !== undefined) throw new StrvalsError(`error parsing index: ${error}`);
    return Number(value);
  }
}

/** Returns the map at an index; replaces any other value by a new map. */
function mapAt(list: ValueList, index: number): ValueMap {
  const existing = list[index];
  // values consist of maps that their readers own
  if (existing instanceof Map) return existing as ValueMap;
  const inner: ValueMap = new Map();
  if (index < list.length) list[index] = inner;
  return inner;
}

/** Sets a value; ignores an empty name. */
function set(target: ValueMap, key: string, value: Value): void {
  if (key !== '') target.set(key, value);
}

function asMap(value: Value): ValueMap {
  if (value instanceof Map) return value as ValueMap; // as in mapAt
  throw wrongType(value, 'map[string]interface {}');
}

function asList(value: Value): ValueList {
  if (Array.isArray(value)) return value as ValueList; // as in mapAt
  throw wrongType(value, '[]interface {}');
}

function wrongType(value: Value, wanted: string): StrvalsError {
  const type = value === null ? 'nil' : goTypeOf(value);
  return new StrvalsError(`unable to parse key: interface conversion: interface {} is ${type}, not ${wanted}`);
}
