import { isJson, removeField, type Json } from '../store/json.ts';

/** JSON merge patch (RFC 7386): null removes, objects merge, everything else replaces. Neither argument is changed. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJson(patch)) return patch;
  const merged: Json = isJson(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) removeField(merged, field);
    else merged[field] = mergePatch(merged[field], value);
  }
  return merged;
}
