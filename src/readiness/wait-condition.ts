import { JsonPathBudget } from '../jsonpath/budget.ts';
import { evaluateOnObject } from '../jsonpath/evaluate.ts';
import { JsonPathError, parseJsonPath, type Step } from '../jsonpath/parse.ts';
import { integerAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';
import { conditionsOf } from './conditions.ts';

/** A condition as `kubectl wait --for` has it. */
export type WaitCondition =
  | { type: 'condition'; name: string; status: string }
  | { type: 'jsonpath'; steps: readonly Step[][]; value: string | undefined };

/** Limits on conditions, which come from charts: a short one can select each value many times. */
const maxLength = 256;
const maxDescents = 1;
const maxSteps = 20_000;

/**
 * Reads `condition=Ready`, `condition=Ready=False`, `jsonpath={.status.phase}` or
 * `jsonpath={.status.phase}=Running`. Returns undefined for any other text.
 */
export function parseWaitCondition(text: string): WaitCondition | undefined {
  if (text.length > maxLength) return undefined;
  const condition = /^condition=([^=]+)(?:=(.+))?$/.exec(text);
  if (condition) return { type: 'condition', name: condition[1] ?? '', status: condition[2] ?? 'True' };
  const jsonPath = /^jsonpath=(\{.*\})(?:=(.+))?$/s.exec(text);
  if (!jsonPath) return undefined;
  try {
    const steps = parseJsonPath(jsonPath[1] ?? '');
    const descents = steps.flat().filter(({ type }) => type === 'descent').length;
    return descents > maxDescents ? undefined : { type: 'jsonpath', steps, value: jsonPath[2] };
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

/**
 * Whether an object meets a condition. As in kubectl, case does not count for conditions, one that
 * was observed for an older generation is not met, and a path without a value must select some.
 * Throws `JsonPathBudgetError` if a path takes too many steps.
 */
export function isMet(object: KubeObject, condition: WaitCondition): boolean {
  if (condition.type === 'jsonpath') {
    const found = evaluateOnObject(condition.steps, object, new JsonPathBudget(maxSteps));
    return condition.value === undefined ? found !== '' : found === condition.value;
  }
  const observed = integerAt(object, 'status', 'observedGeneration');
  if (observed !== undefined && observed < (object.metadata.generation ?? 0)) return false;
  return conditionsOf(object).some(
    ({ type, status }) => isSame(type, condition.name) && isSame(status, condition.status),
  );
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
