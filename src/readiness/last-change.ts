import { listAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';

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
