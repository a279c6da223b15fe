import { encodeJson } from '../go/json-encode.ts';
import { sprintf } from '../go/fmt.ts';
import { compareStrings, sortedKeys, toBytes } from '../go/text.ts';
import { isList, isMap } from '../go/types.ts';
import { Int, int, type Value } from '../go/value.ts';
import type { Step } from './parse.ts';

/** Thrown if a template selects a field that does not exist. */
class NotFound extends Error {}

/** State of `range` loops. `end` ends the innermost open one. */
interface Loops {
  opening: number;
  open: number;
  closing: number;
  lastEnd: Step[] | undefined;
}

/**
 * Returns the text that a template prints for values. Empty if the template selects a field that
 * does not exist, as in `helm show values` (k8s.io/client-go/util/jsonpath/jsonpath.go).
 */
export function evaluateJsonPath(template: readonly Step[][], values: Value): string {
  try {
    const found = resultsOf(template, [values], { opening: 0, open: 0, closing: 0, lastEnd: undefined });
    return found.map((results) => results.map(printed).join(' ')).join('');
  } catch (error) {
    if (error instanceof NotFound) return '';
    throw error;
  }
}

function resultsOf(parts: readonly Step[][], current: Value[], loops: Loops): Value[][] {
  const all: Value[][] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? [];
    const results = walk(part, current, loops);
    if (loops.closing > 0 && loops.closing <= loops.open) {
      loops.closing--;
      loops.lastEnd = part;
      break;
    }
    if (loops.opening === 0) {
      all.push(results);
      continue;
    }
    loops.opening--;
    loops.open++;
    const body = parts.slice(i + 1);
    // an empty loop must still be evaluated once, to find its end
    if (results.length === 0) resultsOf(body, [emptyElement], loops);
    for (const result of results) all.push(...resultsOf(body, [result], loops));
    loops.open--;
    const end = parts.findIndex((candidate, at) => at > i && candidate === loops.lastEnd);
    if (end >= 0) i = end;
  }
  return all;
}

/** Element of an empty loop, which has no fields and is not null. */
const emptyElement = '';

function walk(steps: readonly Step[], start: Value[], loops: Loops): Value[] {
  return steps.reduce((values, step) => take(step, values, loops), start);
}

function take(step: Step, values: Value[], loops: Loops): Value[] {
  switch (step.type) {
    case 'text':
      return [step.text];
    case 'number':
      return values.map(() => (step.isInteger ? int(step.value) : step.value));
    case 'boolean':
      return values.map(() => step.value);
    case 'field':
      return fieldsOf(values, step.name);
    case 'wildcard':
      return values.flatMap(childrenOf);
    case 'descent':
      return values.flatMap(descend);
    case 'word':
      return word(step.word, values, loops);
    case 'slice':
      return values.flatMap((value) => sliced(value, step));
    case 'union':
      return step.expressions.flatMap((expression) => walk(expression, values, loops));
    case 'filter':
      return values.flatMap((value) => filtered(value, step, loops));
  }
}

function fieldsOf(values: readonly Value[], name: string): Value[] {
  if (values.length === 0) return [];
  const found = values.flatMap((value) => {
    const field = isMap(value) ? value.get(name) : undefined;
    return field === undefined ? [] : [field];
  });
  if (found.length === 0) throw new NotFound();
  return found;
}

/** Returns the members of a map, sorted by name. Go's order is random. */
function childrenOf(value: Value): Value[] {
  if (isMap(value)) return sortedKeys(value).map((key) => value.get(key) ?? null);
  if (isList(value)) return [...value];
  return typeof value === 'string' ? Array.from(toBytes(value), (byte) => int(byte)) : [];
}

function descend(value: Value): Value[] {
  const children = childrenOf(value);
  return children.length === 0 ? [] : [value, ...children.flatMap(descend)];
}

function word(name: string, values: Value[], loops: Loops): Value[] {
  if (name === 'range') {
    loops.opening++;
    return values;
  }
  if (name !== 'end' || loops.open === 0) throw new NotFound();
  loops.closing++;
  return [];
}

function sliced(value: Value, { from = 0, to, step = 1, isIndex }: Extract<Step, { type: 'slice' }>): Value[] {
  if (value === null) return [];
  if (!isList(value)) throw new NotFound();
  const { length } = value;
  const first = from < 0 ? from + length : from;
  const last = to === undefined ? length : to < 0 || (to === 0 && isIndex) ? to + length : to;
  if (first === last) return [];
  if (first < 0 || first >= length || last < 0 || last > length || first > last || step <= 0) throw new NotFound();
  return value.slice(first, last).filter((_, i) => i % step === 0);
}

function filtered(value: Value, { left, operator, right }: Extract<Step, { type: 'filter' }>, loops: Loops): Value[] {
  if (!isList(value)) throw new NotFound();
  return value.filter((item) => {
    if (operator === 'exists') return exists(item, left, loops);
    const [a, b] = [walk(left, [item], loops), walk(right, [item], loops)];
    if (a.length === 0 || b.length === 0) return false;
    if (a.length > 1 || b.length > 1) throw new NotFound();
    return compares(a[0] ?? null, operator, b[0] ?? null);
  });
}

function exists(item: Value, path: readonly Step[], loops: Loops): boolean {
  try {
    return walk(path, [item], loops).length > 0;
  } catch (error) {
    if (error instanceof NotFound) return false;
    throw error;
  }
}

/**
 * Compares two values. Values of different types cannot be compared; numbers in values.yaml are
 * float64s and can be compared with `8.0` but not with `8`.
 */
function compares(a: Value, operator: string, b: Value): boolean {
  const order = orderOf(a, b);
  if (typeof a === 'boolean' && operator !== '==' && operator !== '!=') throw new NotFound();
  switch (operator) {
    case '==':
      return order === 0;
    case '!=':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    default:
      throw new NotFound();
  }
}

function orderOf(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Int && b instanceof Int) return Number(a.value) - Number(b.value);
  throw new NotFound();
}

function printed(value: Value): string {
  if (value === null) return 'null';
  return isMap(value) || isList(value) ? encodeJson(value, { escapeHtml: true }) : sprintf('%v', [value]);
}
