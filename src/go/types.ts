import { GoObject, Int, NamedMap, Slice, type Value } from './value.ts';

/** Whether the value is a list with any element type; named types and `Uint8Array` are not. */
export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/** Whether the value is a map of any Go type. */
export function isMap(value: Value | undefined): value is ReadonlyMap<string, Value> {
  return value instanceof Map;
}

/** Returns Go's name of a value's type as `%T` prints it: `<nil>` for nil. */
export function goTypeOf(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    default:
      return value === null ? '<nil>' : goTypeOfObject(value);
  }
}

function goTypeOfObject(value: Exclude<Value, string | number | boolean | null>): string {
  if (value instanceof Int) return value.kind;
  if (value instanceof GoObject) return value.goType;
  if (value instanceof Uint8Array) return '[]uint8';
  if (isList(value)) return value instanceof Slice ? `[]${value.element}` : '[]interface {}';
  return value instanceof NamedMap ? value.goType : 'map[string]interface {}';
}

/**
 * Returns the `reflect.Kind` of a value: `invalid` for nil, else `bool`, `int64`, `string`,
 * `slice`, `map`, `ptr`, `struct` and so on.
 */
export function kindOf(value: Value): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    default:
      if (value === null) return 'invalid';
      if (value instanceof Int || value instanceof GoObject) return value.kind;
      return isMap(value) ? 'map' : 'slice';
  }
}

/** Whether a value is true in templates: not nil, not zero, not empty. */
export function truth(value: Value): boolean {
  switch (typeof value) {
    case 'string':
      return value !== '';
    case 'number':
      return value !== 0;
    case 'boolean':
      return value;
    default:
      if (value === null) return false;
      if (value instanceof Int) return value.value !== 0n;
      if (value instanceof GoObject) return objectTruth(value);
      return isMap(value) ? value.size > 0 : value.length > 0;
  }
}

function objectTruth(object: GoObject): boolean {
  if (object instanceof Complex) return object.real !== 0 || object.imaginary !== 0;
  const underlying = object.underlying();
  if (underlying !== undefined) return truth(underlying);
  const contents = object.contents();
  return contents === undefined || truth(contents);
}

/** Go's `complex128`, the type of literals such as `1i`. Supports only printing and comparing. */
export class Complex extends GoObject {
  readonly goType = 'complex128';
  readonly kind = 'complex128';
  readonly real: number;
  readonly imaginary: number;

  constructor(real: number, imaginary: number) {
    super();
    this.real = real;
    this.imaginary = imaginary;
  }
}
