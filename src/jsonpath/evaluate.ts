import { sprintf } from '../go/fmt.ts';
import { encodeJson } from '../go/json-encode.ts';
import { compareStrings, sortedKeys, toBytes } from '../go/text.ts';
import { isList, isMap } from '../go/types.ts';
import { Int, int, type Value } from '../go/value.ts';
import { JsonPathBudget, JsonPathBudgetError } from './budget.ts';
import type { Step } from './parse.ts';

/** Thrown if a template selects a field that does not exist. */
class NotFound extends Error {}

/** State of an evaluation: its budget, and `range` loops. `end` ends the innermost open one. */
interface Evaluation {
  budget: JsonPathBudget;
  opening: number;
  open: number;
  closing: number;
  lastEnd: Step[] | undefined;
}

/**
 * Returns the text that a template prints for values. Empty if the template selects a field that
 * does not exist, as in `helm show values` (k8s.io/client-go/util/jsonpath/jsonpath.go).
 *
 * A few characters can select each value many times. Templates of strangers therefore need a
 * budget; beyond it, throws `JsonPathBudgetError`. Default: no limit.
 */
export function evaluateJsonPath(
  template: readonly Step[][],
  values: Value,
  budget = new JsonPathBudget(Infinity),
): string {
  try {
    const evaluation = { budget, opening: 0, open: 0, closing: 0, lastEnd: undefined };
    const found = resultsOf(template, [values], evaluation);
    return found.map((results) => results.map((value) => printed(value, budget)).join(' ')).join('');
  } catch (error) {
    if (error instanceof NotFound) return '';
    throw error;
  }
}

function resultsOf(parts: readonly Step[][], current: Value[], evaluation: Evaluation): Value[][] {
  const all: Value[][] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] ?? [];
    const results = walk(part, current, evaluation);
    if (evaluation.closing > 0 && evaluation.closing <= evaluation.open) {
      evaluation.closing--;
      evaluation.lastEnd = part;
      break;
    }
    if (evaluation.opening === 0) {
      all.push(results);
      continue;
    }
    evaluation.opening--;
    evaluation.open++;
    const body = parts.slice(i + 1);
    // an empty loop must still be evaluated once, to find its end
    if (results.length === 0) resultsOf(body, [emptyElement], evaluation);
    for (const result of results) all.push(...resultsOf(body, [result], evaluation));
    evaluation.open--;
    const end = parts.findIndex((candidate, at) => at > i && candidate === evaluation.lastEnd);
    if (end >= 0) i = end;
  }
  return all;
}

/** Element of an empty loop, which has no fields and is not null. */
const emptyElement = '';

function walk(steps: readonly Step[], start: Value[], evaluation: Evaluation): Value[] {
  return steps.reduce((values, step) => {
    evaluation.budget.spend(1 + values.length);
    return take(step, values, evaluation);
  }, start);
}

function take(step: Step, values: Value[], evaluation: Evaluation): Value[] {
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
      return values.flatMap((value) => childrenOf(value, evaluation.budget));
    case 'descent':
      return values.flatMap((value) => descend(value, evaluation.budget));
    case 'word':
      return word(step.word, values, evaluation);
    case 'slice':
      return values.flatMap((value) => sliced(value, step, evaluation.budget));
    case 'union':
      return step.expressions.flatMap((expression) => walk(expression, values, evaluation));
    case 'filter':
      return values.flatMap((value) => filtered(value, step, evaluation));
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
function childrenOf(value: Value, budget: JsonPathBudget): Value[] {
  budget.spend(childCount(value));
  if (isMap(value)) return sortedKeys(value).map((key) => value.get(key) ?? null);
  if (isList(value)) return [...value];
  return typeof value === 'string' ? Array.from(toBytes(value), (byte) => int(byte)) : [];
}

function childCount(value: Value): number {
  if (isMap(value)) return value.size;
  return isList(value) || typeof value === 'string' ? value.length : 0;
}

function descend(value: Value, budget: JsonPathBudget): Value[] {
  const children = childrenOf(value, budget);
  return children.length === 0 ? [] : [value, ...children.flatMap((child) => descend(child, budget))];
}

function word(name: string, values: Value[], evaluation: Evaluation): Value[] {
  if (name === 'range') {
    evaluation.opening++;
    return values;
  }
  if (name !== 'end' || evaluation.open === 0) throw new NotFound();
  evaluation.closing++;
  return [];
}

function sliced(
  value: Value,
  { from = 0, to, step = 1, isIndex }: Extract<Step, { type: 'slice' }>,
  budget: JsonPathBudget,
): Value[] {
  if (value === null) return [];
  if (!isList(value)) throw new NotFound();
  const { length } = value;
  const first = from < 0 ? from + length : from;
  const last = to === undefined ? length : to < 0 || (to === 0 && isIndex) ? to + length : to;
  if (first === last) return [];
  if (first < 0 || first >= length || last < 0 || last > length || first > last || step <= 0) throw new NotFound();
  budget.spend(last - first);
  return value.slice(first, last).filter((_, i) => i % step === 0);
}

function filtered(
  value: Value,
  { left, operator, right }: Extract<Step, { type: 'filter' }>,
  evaluation: Evaluation,
): Value[] {
  if (!isList(value)) throw new NotFound();
  return value.filter((item) => {
    if (operator === 'exists') return exists(item, left, evaluation);
    const [a, b] = [walk(left, [item], evaluation), walk(right, [item], evaluation)];
    if (a.length === 0 || b.length === 0) return false;
    if (a.length > 1 || b.length > 1) throw new NotFound();
    for (const side of [...a, ...b]) if (typeof side === 'string') evaluation.budget.spendText(side);
    return compares(a[0] ?? null, operator, b[0] ?? null);
  });
}

function exists(item: Value, path: readonly Step[], evaluation: Evaluation): boolean {
  try {
    return walk(path, [item], evaluation).length > 0;
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

function printed(value: Value, budget: JsonPathBudget): string {
  if (value === null) return 'null';
  spendTree(value, budget);
  return isMap(value) || isList(value) ? encodeJson(value, { escapeHtml: true }) : sprintf('%v', [value]);
}

/** Spends the steps for all values and texts within a value, before it is printed. */
function spendTree(value: Value, budget: JsonPathBudget): void {
  budget.spend(1);
  if (typeof value === 'string') budget.spendText(value);
  else if (isList(value)) for (const item of value) spendTree(item, budget);
  else if (isMap(value)) {
    for (const [key, member] of value) {
      budget.spendText(key);
      spendTree(member, budget);
    }
  }
}

/** Levels of nested lists and maps that are read. */
const maxDepth = 200;

/** Reading a value costs little beside selecting it. */
const readCost = 1 / 10;

/**
 * Like `evaluateJsonPath`, for an object that was decoded from JSON. Only what the fields at the
 * start of the template select is read, so that they cost the same on objects of any size.
 */
export function evaluateOnObject(template: readonly Step[][], object: object, budget: JsonPathBudget): string {
  const [steps = [], ...more] = template;
  const count = more.length > 0 ? 0 : leadingFields(steps);
  let value: unknown = object;
  for (const step of steps.slice(0, count)) {
    budget.spend(1);
    value = step.type === 'field' && isRecord(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined;
    if (value === undefined) return '';
  }
  return evaluateJsonPath([steps.slice(count), ...more], valueOf(value, budget, 0), budget);
}

function leadingFields(steps: readonly Step[]): number {
  const end = steps.findIndex(({ type }) => type !== 'field');
  return end < 0 ? steps.length : end;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueOf(json: unknown, budget: JsonPathBudget, depth: number): Value {
  budget.spend(readCost);
  if (depth > maxDepth) throw new JsonPathBudgetError(`reads values that are nested more than ${maxDepth} deep`);
  if (Array.isArray(json)) return json.map((item) => valueOf(item, budget, depth + 1));
  if (isRecord(json)) {
    return new Map(Object.entries(json).map(([key, member]) => [key, valueOf(member, budget, depth + 1)]));
  }
  return typeof json === 'string' || typeof json === 'number' || typeof json === 'boolean' ? json : null;
}
