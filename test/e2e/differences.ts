/**
 * Returns the applied fields that a live object lacks, as `PATH: expected X, found Y`. The API
 * server adds fields, treats null as unset, and drops fields that have their type's zero value.
 */
export function differences(applied: unknown, live: unknown, path = ''): string[] {
  if (applied === null || (live === undefined && isZero(applied))) return [];
  if (Array.isArray(applied) && Array.isArray(live) && applied.length === live.length) {
    return applied.flatMap((item, i) => differences(item, live[i], `${path}[${i}]`));
  }
  if (isMap(applied) && isMap(live)) {
    return Object.entries(applied).flatMap(([key, value]) => differences(value, live[key], `${path}.${key}`));
  }
  return applied === live ? [] : [`${path}: expected ${JSON.stringify(applied)}, found ${JSON.stringify(live)}`];
}

function isZero(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isMap(value)) return Object.values(value).every(isZero);
  return value === null || value === '' || value === 0 || value === false;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
