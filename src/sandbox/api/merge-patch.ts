import { isJsonObject, removeField, type JsonObject } from '../../objects/fields.ts';

/** JSON merge patch (RFC 7386): null removes, objects merge, everything else replaces. Neither argument is changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch;
  const merged: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) removeField(merged, field);
    else merged[field] = mergePatch(merged[field], value);
  }
  return merged;
}
