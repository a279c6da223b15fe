import { fieldAt, isJsonObject } from '../../objects/fields.ts';
import { jsonText } from '../../objects/json-text.ts';

/** A field that differs. A field that is missing on one side is undefined there. */
export interface FieldChange {
  /** Path such as `spec.containers[0].image`. */
  path: string;
  before?: unknown;
  after?: unknown;
}

/** A step of a path: the name of a member, or the position or the name of an item of a list. */
export type PathPart = string | number | { name: string };

/** A field that differs, with the steps of its path. */
export interface ChangeAt extends Omit<FieldChange, 'path'> {
  parts: readonly PathPart[];
}

/** Returns the fields in which two JSON values differ, the deepest ones, sorted by path. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  return changesBetween(before, after).map(({ parts, ...values }) => ({ path: pathText(parts), ...values }));
}

/** Returns the same as {@link fieldChanges}, with the steps of the paths. */
export function changesBetween(before: unknown, after: unknown): ChangeAt[] {
  return changesAt([], before, after);
}

/** Returns a path as text, such as `spec.containers[name=app].image`. */
export function pathText(parts: readonly PathPart[]): string {
  return parts.reduce<string>((path, part) => {
    if (typeof part === 'string') return memberPath(path, part);
    return `${path}[${typeof part === 'number' ? part : `name=${part.name}`}]`;
  }, '');
}

function changesAt(parts: readonly PathPart[], before: unknown, after: unknown): ChangeAt[] {
  if (Array.isArray(before) && Array.isArray(after)) return listChanges(parts, before, after);
  if (isJsonObject(before) && isJsonObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return names.flatMap((name) => changesAt([...parts, name], fieldAt(before, name), fieldAt(after, name)));
  }
  if (before === after || isRounded(before, after) || isRounded(after, before)) return [];
  return [
    {
      parts,
      ...(before !== undefined && { before: plain(before) }),
      ...(after !== undefined && { after: plain(after) }),
    },
  ];
}

/** Whether a number is what responses of the API server have for an integer of a manifest. */
function isRounded(exact: unknown, number: unknown): boolean {
  return typeof exact === 'bigint' && number === Number(exact);
}

/** Returns a value as JSON data, in which a bigint is rounded to a number. */
function plain(value: unknown): unknown {
  return JSON.parse(jsonText(value));
}

/** Compares lists whose items have unique names by name, and others by position. */
function listChanges(parts: readonly PathPart[], before: readonly unknown[], after: readonly unknown[]): ChangeAt[] {
  const namedBefore = byName(before);
  const namedAfter = byName(after);
  if (namedBefore === undefined || namedAfter === undefined) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) => changesAt([...parts, index], before[index], after[index])).flat();
  }
  const names = [...new Set([...namedBefore.keys(), ...namedAfter.keys()])];
  return names.flatMap((name) => changesAt([...parts, { name }], namedBefore.get(name), namedAfter.get(name)));
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

function memberPath(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
