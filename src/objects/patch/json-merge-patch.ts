import { isDeepStrictEqual } from 'node:util';
import { fieldAt, isJsonObject, type JsonObject } from '../fields.ts';

/**
 * Applies a JSON merge patch (RFC 7386): null removes a field, objects are merged, all other values
 * replace. Returns a new value.
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged = new Map(Object.entries(isJsonObject(target) ? target : {}));
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) merged.delete(field);
    else merged.set(field, applyMergePatch(merged.get(field), value));
  }
  return Object.fromEntries(merged);
}

/** Returns the JSON merge patch from one object to another. */
export function createMergePatch(original: JsonObject, modified: JsonObject): JsonObject {
  return { ...changes(original, modified), ...removals(original, modified, 'shallow') };
}

/**
 * Returns a JSON merge patch that sets the fields of `modified` that differ from the live object,
 * and removes those that `original` has and `modified` lacks.
 */
export function threeWayMergePatch(original: JsonObject, modified: JsonObject, live: JsonObject): JsonObject {
  return applyAsPatch(removals(original, modified, 'deep'), changes(live, modified, 'additions only'));
}

/** Returns the fields that are new or differ, with `removals` of the objects below. */
function changes(from: JsonObject, to: JsonObject, mode: 'all' | 'additions only' = 'all'): JsonObject {
  return Object.fromEntries(
    Object.entries(to).flatMap(([field, value]): [string, unknown][] => {
      const before = fieldAt(from, field);
      if (isJsonObject(before) && isJsonObject(value)) {
        const below = mode === 'all' ? createMergePatch(before, value) : changes(before, value, mode);
        return Object.keys(below).length === 0 ? [] : [[field, below]];
      }
      return isDeepStrictEqual(before, value) || (before === undefined && value === null) ? [] : [[field, value]];
    }),
  );
}

/** Returns null for each field that `to` lacks. */
function removals(from: JsonObject, to: JsonObject, depth: 'shallow' | 'deep'): JsonObject {
  return Object.fromEntries(
    Object.entries(from).flatMap(([field, before]): [string, unknown][] => {
      if (!Object.hasOwn(to, field)) return [[field, null]];
      const value = to[field];
      if (depth === 'shallow' || !isJsonObject(before) || !isJsonObject(value)) return [];
      const below = removals(before, value, depth);
      return Object.keys(below).length === 0 ? [] : [[field, below]];
    }),
  );
}

/** Merges two patches. A field of the second one wins; nulls are kept. */
function applyAsPatch(first: JsonObject, second: JsonObject): JsonObject {
  const merged = new Map(Object.entries(first));
  for (const [field, value] of Object.entries(second)) {
    const before = merged.get(field);
    merged.set(field, isJsonObject(before) && isJsonObject(value) ? applyAsPatch(before, value) : value);
  }
  return Object.fromEntries(merged);
}
