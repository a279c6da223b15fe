import { isDeepStrictEqual } from 'node:util';
import { fieldAt, isJsonObject, type JsonObject } from '../fields.ts';
import type { FieldMerge, PatchSchema } from './patch-schema.ts';

/** The entries of a patch. */
type Entries = [field: string, value: unknown][];

/** The three forms of one object or list. */
interface Forms<T> {
  /** The form that was applied before. */
  original: T;
  /** The form that is wanted. */
  modified: T;
  /** The form in the cluster. */
  live: T;
}

/**
 * Returns a strategic merge patch that sets the fields of `modified` that differ from the live
 * object, and removes those that `original` has and `modified` lacks. Fields that only the live
 * object has stay. The result is that of k8s.io/apimachinery/pkg/util/strategicpatch
 * (CreateThreeWayMergePatch), except that it removes nothing that the live object lacks, and that
 * lists with the same merge key in two elements are replaced. Throws {@link PatchError}.
 */
export function threeWayPatch(
  original: JsonObject,
  modified: JsonObject,
  live: JsonObject,
  schema: PatchSchema,
): JsonObject {
  return Object.fromEntries(diffMaps({ original, modified, live }, schema));
}

function diffMaps({ original, modified, live }: Forms<JsonObject>, schema: PatchSchema, retainKeys = false): Entries {
  const entries = Object.entries(modified).flatMap(([field, value]) =>
    diffField(field, { original: fieldAt(original, field), modified: value, live: fieldAt(live, field) }, schema),
  );
  for (const field of Object.keys(original)) {
    if (!Object.hasOwn(modified, field) && (fieldAt(live, field) ?? null) !== null) entries.push([field, null]);
  }
  if (!retainKeys) return entries;
  const retained = Object.keys(modified).filter((field) => modified[field] !== null);
  const hasOthers = Object.entries(live).some(([field, value]) => value !== null && !Object.hasOwn(modified, field));
  if (retained.length > 0 && (entries.length > 0 || hasOthers)) entries.push(['$retainKeys', retained.sort()]);
  return entries;
}

function diffField(field: string, { original, modified, live }: Forms<unknown>, schema: PatchSchema): Entries {
  if (live === undefined || live === null) return modified === null ? [] : [[field, modified]];
  // maps are compared field by field below: to compare them here, too, would be quadratic in depth
  if (isJsonObject(modified) && isJsonObject(live)) {
    const merge = schema.field(field);
    if (merge.strategy === 'replace') return isDeepStrictEqual(live, modified) ? [] : [[field, modified]];
    const forms = { original: isJsonObject(original) ? original : {}, modified, live };
    const below = diffMaps(forms, merge.schema, merge.retainKeys);
    return below.length === 0 ? [] : [[field, Object.fromEntries(below)]];
  }
  if (Array.isArray(modified) && Array.isArray(live)) {
    if (isDeepStrictEqual(live, modified) && isDeepStrictEqual(original, modified)) return [];
    const merge = schema.field(field);
    if (merge.strategy === 'merge' && live.length > 0) {
      return diffLists(field, { original: Array.isArray(original) ? original : [], modified, live }, merge);
    }
  }
  return isDeepStrictEqual(live, modified) ? [] : [[field, modified]];
}

function diffLists(field: string, lists: Forms<unknown[]>, merge: FieldMerge): Entries {
  const { mergeKey } = merge;
  const isOfMaps = [...lists.modified, ...lists.live].some(isJsonObject);
  return isOfMaps && mergeKey !== undefined
    ? diffKeyedLists(field, lists, { ...merge, mergeKey })
    : diffSets(field, lists);
}

/** Compares lists whose elements are distinct scalars. */
function diffSets(field: string, { original, modified, live }: Forms<unknown[]>): Entries {
  const [wanted, present] = [new Set(modified), new Set(live)];
  const added = modified.filter((value) => !present.has(value));
  const removed = original.filter((value) => !wanted.has(value) && present.has(value));
  const entries: Entries = [];
  if (added.length > 0) entries.push([field, added]);
  if (removed.length > 0) entries.push([`$deleteFromPrimitiveList/${field}`, removed]);
  if (modified.length > 0 && (removed.length > 0 || !isDeepStrictEqual(live, modified))) {
    entries.push([`$setElementOrder/${field}`, modified]);
  }
  return entries;
}

/** Compares lists whose elements have a merge key. */
function diffKeyedLists(
  field: string,
  lists: Forms<unknown[]>,
  { mergeKey, retainKeys, schema }: FieldMerge & { mergeKey: string },
): Entries {
  const [original, modified, live] = [lists.original, lists.modified, lists.live].map((list) =>
    keyedElements(field, list, mergeKey),
  ) as [KeyedElement[], KeyedElement[], KeyedElement[]]; // map keeps the number of lists
  const [before, wanted, present] = [byId(original), byId(modified), byId(live)];
  const changed = modified.flatMap((element): JsonObject[] => {
    const there = present.get(element.id);
    if (there === undefined) return [element.value];
    const forms = { original: before.get(element.id)?.value ?? {}, modified: element.value, live: there.value };
    const below = diffMaps(forms, schema, retainKeys);
    return below.length === 0 ? [] : [Object.fromEntries([...below, [mergeKey, element.key]])];
  });
  const removed = original.filter(({ id }) => !wanted.has(id) && present.has(id));
  const isSameOrder = live.length === modified.length && live.every(({ id }, i) => id === modified[i]?.id);
  if (changed.length === 0 && removed.length === 0 && isSameOrder) return [];
  if ([original, modified, live].some(hasDuplicates)) return [[field, [...lists.modified, { $patch: 'replace' }]]];
  const patched = [...changed, ...removed.map(({ key }) => ({ [mergeKey]: key, $patch: 'delete' }))];
  const order = modified.map(({ key }) => ({ [mergeKey]: key }));
  return [
    ...(patched.length > 0 ? [[field, patched] satisfies [string, unknown]] : []),
    ...(order.length > 0 ? [[`$setElementOrder/${field}`, order] satisfies [string, unknown]] : []),
  ];
}

interface KeyedElement {
  key: unknown;
  /** The key as text, and how many elements with it come before. */
  id: string;
  value: JsonObject;
}

function keyedElements(field: string, list: readonly unknown[], mergeKey: string): KeyedElement[] {
  const counts = new Map<unknown, number>();
  return list.map((value) => {
    if (!isJsonObject(value) || !Object.hasOwn(value, mergeKey)) {
      throw new PatchError(`an element of the list ${field} does not have its merge key: ${mergeKey}`);
    }
    const key = value[mergeKey];
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return { key, id: `${typeof key} ${count} ${String(key)}`, value };
  });
}

function byId(list: readonly KeyedElement[]): Map<string, KeyedElement> {
  return new Map(list.map((element) => [element.id, element]));
}

function hasDuplicates(list: readonly KeyedElement[]): boolean {
  return new Set(list.map(({ key }) => key)).size < list.length;
}

/** A patch that cannot be made, because an object lacks what its kind requires. */
class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly code = 'invalid';
}
