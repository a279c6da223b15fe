import { groupKind } from '../objects/group-kind.ts';
import type { KubeObject } from '../objects/object.ts';
import { conditionsOf } from './conditions.ts';
import { current, failed, inProgress, type OwnRule, type Readiness } from './status.ts';
import { isMet, parseWaitCondition } from './wait-condition.ts';

/** Annotations of an object with conditions. They take precedence over rules of a command. */
const readyAnnotation = 'helm-agent/ready-when';
const failedAnnotation = 'helm-agent/failed-when';

/** Returns the status of an object by a rule of the user, or undefined if there is none. */
export function ownReadiness(object: KubeObject, rules: readonly OwnRule[]): Readiness | undefined {
  const { annotations = {}, deletionTimestamp } = object.metadata;
  const rule = rules.find(
    ({ kind, name }) => isKind(object, kind) && (name ?? object.metadata.name) === object.metadata.name,
  );
  const readyWhen = annotations[readyAnnotation] ?? rule?.readyWhen;
  const failedWhen = annotations[failedAnnotation] ?? rule?.failedWhen;
  if (readyWhen === undefined || (deletionTimestamp ?? '') !== '') return undefined;
  if (isMetBy(object, failedWhen)) return failed(`${failedWhen ?? ''} is met${messageOf(object)}`);
  const condition = parseWaitCondition(readyWhen);
  if (condition === undefined) return failed(`${readyAnnotation}: cannot read ${JSON.stringify(readyWhen)}`);
  return isMet(object, condition)
    ? current(`${readyWhen} is met`)
    : inProgress(`${readyWhen} is not met${messageOf(object)}`);
}

function isKind(object: KubeObject, kind: string): boolean {
  return object.kind === kind || groupKind(object) === kind;
}

function isMetBy(object: KubeObject, text: string | undefined): boolean {
  const condition = text === undefined ? undefined : parseWaitCondition(text);
  return condition !== undefined && isMet(object, condition);
}

/** Returns the message of a condition that is not true. */
function messageOf(object: KubeObject): string {
  const message = conditionsOf(object).find((one) => one.status !== 'True' && one.message !== '')?.message;
  return message === undefined ? '' : `: ${message}`;
}
