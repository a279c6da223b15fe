/** A JSON object: not a list, not null. */
export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the field at a path, or undefined if a part of the path does not exist. */
export function fieldAt(data: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (value, name) => (isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    data,
  );
}

export function stringAt(data: unknown, ...path: string[]): string | undefined {
  const found = fieldAt(data, ...path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(data: unknown, ...path: string[]): number | undefined {
  const found = fieldAt(data, ...path);
  return typeof found === 'number' ? found : undefined;
}

/**
 * Like {@link numberAt}, but also reads decimal text: some controllers write integers as strings.
 */
export function integerAt(data: unknown, ...path: string[]): number | undefined {
  const found = fieldAt(data, ...path);
  if (typeof found === 'number') return found;
  return typeof found === 'string' && /^-?\d+$/.test(found) ? Number(found) : undefined;
}

/** Returns the object at a path, or a new empty object if there is none. */
export function objectAt(data: unknown, ...path: string[]): JsonObject {
  const found = fieldAt(data, ...path);
  return isJsonObject(found) ? found : {};
}

/** Returns the list at a path, or a new empty list if there is none. */
export function listAt(data: unknown, ...path: string[]): unknown[] {
  const found = fieldAt(data, ...path);
  return Array.isArray(found) ? found : [];
}

/** Returns the objects in the list at a path. */
export function objectsAt(data: unknown, ...path: string[]): JsonObject[] {
  return listAt(data, ...path).filter(isJsonObject);
}

/** Returns the object at a path, and creates it, with its parents, if there is none. */
export function ensureObject(object: JsonObject, ...path: string[]): JsonObject {
  return path.reduce<JsonObject>((parent, name) => {
    const child = parent[name];
    if (isJsonObject(child)) return child;
    const created: JsonObject = {};
    parent[name] = created;
    return created;
  }, object);
}

/** Sets a field if it is absent or null. */
export function setDefault(object: JsonObject, field: string, value: unknown): void {
  object[field] ??= value;
}

export function removeField(object: JsonObject, field: string): void {
  Reflect.deleteProperty(object, field);
}
