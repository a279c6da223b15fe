import { integerAt, listAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';

export interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
}

/** Returns the object's status conditions. */
export function conditionsOf(object: KubeObject): Condition[] {
  return listAt(object, 'status', 'conditions').map(readCondition);
}

/**
 * Returns the status conditions that are not about an older generation. As in kubectl, each says
 * what it is about, or else the status does (pkg/cmd/wait/condition.go).
 */
export function observedConditionsOf(object: KubeObject): Condition[] {
  const { generation = 0 } = object.metadata;
  const ofStatus = integerAt(object, 'status', 'observedGeneration') ?? generation;
  return listAt(object, 'status', 'conditions')
    .filter((condition) => (integerAt(condition, 'observedGeneration') ?? ofStatus) >= generation)
    .map(readCondition);
}

function readCondition(condition: unknown): Condition {
  return {
    type: stringAt(condition, 'type') ?? '',
    status: stringAt(condition, 'status') ?? '',
    reason: stringAt(condition, 'reason') ?? '',
    message: stringAt(condition, 'message') ?? '',
  };
}

/** Returns the condition of that type and status, if the object has it. */
export function conditionOf(object: KubeObject, type: string, status: 'True' | 'False'): Condition | undefined {
  return conditionsOf(object).find((condition) => condition.type === type && condition.status === status);
}

/**
 * Returns when the conditions of an object have last changed, in milliseconds since the Unix epoch.
 * Undefined if it has none with a time.
 */
export function lastChangeOf(object: KubeObject): number | undefined {
  const times = listAt(object, 'status', 'conditions')
    .flatMap((condition) => [stringAt(condition, 'lastTransitionTime'), stringAt(condition, 'lastUpdateTime')])
    .map((text) => Date.parse(text ?? ''))
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : Math.max(...times);
}
