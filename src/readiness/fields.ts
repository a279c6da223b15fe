import type { KubeObject } from '../objects/object.ts';

/** The field at a path, or undefined where there is none. */
export function fieldAt(data: unknown, ...path: string[]): unknown {
  let found = data;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name]; // an object that has the property
  }
  return found;
}

/** The whole number at a path. Some controllers write numbers as text; anything else counts as absent. */
export function numberAt(data: unknown, ...path: string[]): number | undefined {
  const value = fieldAt(data, ...path);
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : undefined;
}

export function textAt(data: unknown, ...path: string[]): string | undefined {
  const value = fieldAt(data, ...path);
  return typeof value === 'string' ? value : undefined;
}

export function listAt(data: unknown, ...path: string[]): readonly unknown[] {
  const value = fieldAt(data, ...path);
  return Array.isArray(value) ? value : [];
}

export interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
}

/** The object's status conditions. */
export function conditionsOf(object: KubeObject): Condition[] {
  return listAt(object, 'status', 'conditions').map((condition) => ({
    type: textAt(condition, 'type') ?? '',
    status: textAt(condition, 'status') ?? '',
    reason: textAt(condition, 'reason') ?? '',
    message: textAt(condition, 'message') ?? '',
  }));
}

/** The condition of that type and status, where the object has it. */
export function conditionOf(object: KubeObject, type: string, status: 'True' | 'False'): Condition | undefined {
  return conditionsOf(object).find((condition) => condition.type === type && condition.status === status);
}
