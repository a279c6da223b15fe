import { JsonPathBudget, JsonPathBudgetError } from '../jsonpath/budget.ts';
import { evaluateOnObject } from '../jsonpath/evaluate.ts';
import { JsonPathError, parseJsonPath, type Step } from '../jsonpath/parse.ts';
import { groupKind } from '../objects/group-kind.ts';
import type { KubeObject } from '../objects/object.ts';
import { conditionsOf, observedConditionsOf } from './conditions.ts';
import { current, failed, inProgress, type OwnRule, type Readiness } from './status.ts';
import { failedAnnotation, readyAnnotation } from './steering-annotations.ts';

/** Characters of a condition that cannot be read, in messages. */
const maxShown = 300;

/**
 * Returns the status of an object by a rule of the user, or undefined if there is none. Annotations
 * take precedence over rules of a command. Returns that the object has failed if its rule cannot be
 * read, or takes too many steps.
 */
export function ownReadiness(object: KubeObject, rules: readonly OwnRule[]): Readiness | undefined {
  const { annotations = {}, deletionTimestamp } = object.metadata;
  const rule = rules.find(
    ({ kind, name }) => isKind(object, kind) && (name ?? object.metadata.name) === object.metadata.name,
  );
  const readyWhen = annotations[readyAnnotation] ?? rule?.readyWhen;
  const failedWhen = annotations[failedAnnotation] ?? rule?.failedWhen;
  if (readyWhen === undefined || (deletionTimestamp ?? '') !== '') return undefined;
  try {
    if (failedWhen !== undefined && isMetBy(object, failedAnnotation, failedWhen)) {
      return failed(`${failedWhen} is met${messageOf(object)}`);
    }
    return isMetBy(object, readyAnnotation, readyWhen)
      ? current(`${readyWhen} is met`)
      : inProgress(`${readyWhen} is not met${messageOf(object)}`);
  } catch (error) {
    if (error instanceof RuleError) return failed(error.message);
    throw error;
  }
}

/** A rule that cannot be evaluated. */
class RuleError extends Error {}

function isKind(object: KubeObject, kind: string): boolean {
  return object.kind === kind || groupKind(object) === kind;
}

/** Throws `RuleError` if the condition cannot be read, or takes too many steps. */
function isMetBy(object: KubeObject, rule: string, text: string): boolean {
  const condition = parseWaitCondition(text);
  const shown = JSON.stringify(text.length > maxShown ? `${text.slice(0, maxShown)}…` : text);
  if (condition === undefined) throw new RuleError(`${rule}: cannot read ${shown}`);
  try {
    return isMet(object, condition);
  } catch (error) {
    if (!(error instanceof JsonPathBudgetError)) throw error;
    throw new RuleError(`${rule}: ${shown} ${error.message} on this object; use a path that selects less`);
  }
}

/** Returns the message of a condition that is not true. */
function messageOf(object: KubeObject): string {
  const message = conditionsOf(object).find((one) => one.status !== 'True' && one.message !== '')?.message;
  return message === undefined ? '' : `: ${message}`;
}

/** A condition as `kubectl wait --for` has it. */
type WaitCondition =
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
function parseWaitCondition(text: string): WaitCondition | undefined {
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
function isMet(object: KubeObject, condition: WaitCondition): boolean {
  if (condition.type === 'jsonpath') {
    const found = evaluateOnObject(condition.steps, object, new JsonPathBudget(maxSteps));
    return condition.value === undefined ? found !== '' : found === condition.value;
  }
  return observedConditionsOf(object).some(
    ({ type, status }) => isSame(type, condition.name) && isSame(status, condition.status),
  );
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
