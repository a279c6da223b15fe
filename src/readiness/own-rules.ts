import { JsonPathBudgetError } from '../jsonpath/budget.ts';
import { groupKind } from '../objects/group-kind.ts';
import type { KubeObject } from '../objects/object.ts';
import { conditionsOf } from './conditions.ts';
import { current, failed, inProgress, type OwnRule, type Readiness } from './status.ts';
import { failedAnnotation, readyAnnotation } from './steering-annotations.ts';
import { isMet, parseWaitCondition } from './wait-condition.ts';

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
