/** A variable and the names of fields in it, such as `object`, `spec`, `replicas`. */
export type FieldPath = readonly string[];

/**
 * Returns the parts of plain data to which paths lead, with the fields above them. A path ends at a
 * value that has no fields, such as a list, which is returned whole. What is absent stays absent.
 */
export function selectFields(value: unknown, paths: readonly FieldPath[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const below = new Map<string, FieldPath[]>();
  for (const [name, ...rest] of paths) {
    if (name === undefined) return value;
    below.set(name, [...(below.get(name) ?? []), rest]);
  }
  const selected: [string, unknown][] = [];
  for (const [name, rest] of below) {
    if (Object.hasOwn(value, name)) selected.push([name, selectFields((value as Record<string, unknown>)[name], rest)]);
  }
  return Object.fromEntries(selected);
}
