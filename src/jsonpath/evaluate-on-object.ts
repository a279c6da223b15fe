import type { Value } from '../go/value.ts';
import { JsonPathBudgetError, type JsonPathBudget } from './budget.ts';
import { evaluateJsonPath } from './evaluate.ts';
import type { Step } from './parse.ts';

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
