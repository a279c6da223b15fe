import { isJsonObject } from '../../objects/fields.ts';

/** A field that differs. A field that is missing on one side is undefined there. */
export interface FieldChange {
  /** Path such as `spec.containers[0].image`. */
  path: string;
  before?: unknown;
  after?: unknown;
}

/** Returns the fields in which two JSON values differ, the deepest ones, sorted by path. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  return changesAt('', before, after);
}

function changesAt(path: string, before: unknown, after: unknown): FieldChange[] {
  if (Array.isArray(before) && Array.isArray(after)) return listChanges(path, before, after);
  if (isJsonObject(before) && isJsonObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) => changesAt(memberPath(path, name), own(before, name), own(after, name)));
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ path, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

/** Compares lists whose items have unique names by name, and others by position. */
function listChanges(path: string, before: readonly unknown[], after: readonly unknown[]): FieldChange[] {
  const namedBefore = byName(before);
  const namedAfter = byName(after);
  if (namedBefore === undefined || namedAfter === undefined) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) => changesAt(`${path}[${index}]`, before[index], after[index])).flat();
  }
  const names = [...new Set([...namedBefore.keys(), ...namedAfter.keys()])];
  return names.flatMap((name) => changesAt(`${path}[name=${name}]`, namedBefore.get(name), namedAfter.get(name)));
}

function byName(list: readonly unknown[]): Map<string, unknown> | undefined {
  const named = new Map<string, unknown>();
  for (const item of list) {
    const name = isJsonObject(item) ? item['name'] : undefined;
    if (typeof name !== 'string' || named.has(name)) return undefined;
    named.set(name, item);
  }
  return named;
}

function own(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function memberPath(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
