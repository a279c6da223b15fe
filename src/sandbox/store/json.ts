/** Any JSON object. */
export type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object at a field, or an empty one that stands for it. */
export function objectAt(object: unknown, ...path: string[]): Json {
  const found = valueAt(object, ...path);
  return isJson(found) ? found : {};
}

export function listAt(object: unknown, ...path: string[]): unknown[] {
  const found = valueAt(object, ...path);
  return Array.isArray(found) ? found : [];
}

export function objectsAt(object: unknown, ...path: string[]): Json[] {
  return listAt(object, ...path).filter(isJson);
}

export function stringAt(object: unknown, ...path: string[]): string | undefined {
  const found = valueAt(object, ...path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(object: unknown, ...path: string[]): number | undefined {
  const found = valueAt(object, ...path);
  return typeof found === 'number' ? found : undefined;
}

export function valueAt(object: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (isJson(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    object,
  );
}

/** The object at a field for writing; it is made where there is none. */
export function ensureObject(object: Json, ...path: string[]): Json {
  return path.reduce<Json>((parent, step) => {
    const child = parent[step];
    if (isJson(child)) return child;
    const made: Json = {};
    parent[step] = made;
    return made;
  }, object);
}

/** Sets a field that is absent or null. */
export function setDefault(object: Json, field: string, value: unknown): void {
  object[field] ??= value;
}

export function removeField(object: Json, field: string): void {
  Reflect.deleteProperty(object, field);
}
