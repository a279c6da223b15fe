import { isJsonObject, removeField, type JsonObject } from '../../objects/fields.ts';

/**
 * Applies a JSON merge patch (RFC 7386): null removes a field, objects are merged, all other values
 * replace. Returns a new value.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) removeField(merged, field);
    else merged[field] = mergePatch(merged[field], value);
  }
  return merged;
}
