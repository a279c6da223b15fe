/**
 * The values of templates: Go's types as charts see them. docs/adr/0001-template-values.md gives
 * the reasons.
 */

/** Any value in a template. `null` is Go's nil; `undefined` is never a value. */
export type Value =
  null | boolean | number | string | Int | Uint8Array | readonly Value[] | ReadonlyMap<string, Value> | GoObject;

/** `map[string]interface {}`, or another map with string keys if it is a {@link NamedMap}. */
export type ValueMap = Map<string, Value>;

/** A list that its owner may change. */
export type ValueList = Value[];

const widths = {
  int: [64, true],
  int8: [8, true],
  int16: [16, true],
  int32: [32, true],
  int64: [64, true],
  uint: [64, false],
  uint8: [8, false],
  uint16: [16, false],
  uint32: [32, false],
  uint64: [64, false],
} as const;

/** Go's integer kinds. */
export type IntKind = keyof typeof widths;

/** A Go integer: its kind, and its value wrapped to the width of the kind. */
export class Int {
  readonly kind: IntKind;
  readonly value: bigint;

  constructor(kind: IntKind, value: bigint) {
    const [bits, signed] = widths[kind];
    this.kind = kind;
    this.value = signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
  }
}

/** Returns an `int`. `value` must be whole if it is a number. */
export function int(value: number | bigint): Int {
  return new Int('int', BigInt(value));
}

/** Returns an `int64`. `value` must be whole if it is a number. */
export function int64(value: number | bigint): Int {
  return new Int('int64', BigInt(value));
}

/** A slice whose elements are not `interface {}`: `[]string`, `[]int`, `[][]interface {}`. */
export class Slice extends Array<Value> {
  /** Go's name of the element type. */
  readonly element: string;
  /** Whether this is Go's nil slice, which JSON and YAML print as null. */
  readonly isNil: boolean;

  constructor(element: string, items: readonly Value[] | null) {
    super();
    this.element = element;
    this.isNil = items === null;
    if (items !== null) for (const item of items) this.push(item);
  }

  /** `map`, `filter` and similar methods return plain arrays. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/** A map whose Go type is not `map[string]interface {}`: `common.Values`, `map[string]string`. */
export class NamedMap extends Map<string, Value> {
  /** Go's name of the type, as `%T` prints it. */
  readonly goType: string;
  /** Whether this is Go's nil map, which JSON and YAML print as null. */
  readonly isNil: boolean;

  constructor(goType: string, entries: Iterable<readonly [string, Value]> | null = []) {
    super(entries);
    this.goType = goType;
    this.isNil = entries === null;
  }

  /** Returns a map of the same type with other contents. */
  like(entries: Iterable<readonly [string, Value]>): NamedMap {
    return new NamedMap(this.goType, entries);
  }

  /**
   * Returns an exported method, or undefined if the type does not have it. It takes precedence over
   * a key of that name.
   */
  method(_name: string): GoFunction | undefined {
    return undefined;
  }
}

/** A Go value with fields or methods: a struct, a pointer to one, or a named type. */
export abstract class GoObject {
  /** Go's name of the type, as `%T` prints it: `time.Time`, `*common.Capabilities`. */
  abstract readonly goType: string;
  /** The `reflect.Kind` of the type: `struct`, `ptr`, `map`, `slice`, `int64`, `func`. */
  abstract readonly kind: string;

  /** Returns an exported field, or undefined if the type does not have it. */
  field(_name: string): Value | undefined {
    return undefined;
  }

  /** Returns the names of the exported fields in order. */
  fields(): readonly string[] {
    return [];
  }

  /** Returns an exported method, or undefined if the type does not have it. */
  method(_name: string): GoFunction | undefined {
    return undefined;
  }

  /** Result of `String()` or `Error()`, used for printing; undefined if the type has neither. */
  text(): string | undefined {
    return undefined;
  }

  /**
   * Result of `String()` if only the pointer type has that method. A template that prints such a
   * field of a struct uses it; a function that receives the field gets a copy without the method.
   */
  addressedText(): string | undefined {
    return undefined;
  }

  /** Whether Go has one object for both. Default: whether both are this object. */
  isSame(other: GoObject): boolean {
    return this === other;
  }

  /**
   * Returns all fields with their values in order, including unexported ones, as `%v` prints a
   * struct.
   */
  members(): readonly (readonly [name: string, value: Value])[] {
    return this.fields().map((name) => [name, this.field(name) ?? null]);
  }

  /**
   * The basic value of a named type: the `int64` of a `time.Duration`. Undefined for other kinds.
   */
  underlying(): boolean | number | string | Int | undefined {
    return undefined;
  }

  /** Result of `GoString()`, used by `%#v`; undefined if the type does not have it. */
  goString(): string | undefined {
    return undefined;
  }

  /**
   * The elements for `range`, `index` and `len`; undefined if the kind is not a map or a slice.
   */
  contents(): ReadonlyMap<string, Value> | readonly Value[] | undefined {
    return undefined;
  }

  /** Go's type of the elements of {@link contents}. */
  elementType(): string {
    return 'interface {}';
  }

  /** The value that JSON and YAML encode; undefined to encode {@link jsonMembers} as an object. */
  json(): Value | undefined {
    return undefined;
  }

  /** Returns the exported fields in order, under their JSON names. */
  jsonMembers(): readonly (readonly [name: string, value: Value])[] {
    return this.fields().map((name) => [name, this.field(name) ?? null]);
  }
}

/** A nil pointer in a struct, of type `goType`. */
export class NilPointer extends GoObject {
  readonly goType: string;
  readonly kind = 'ptr';

  constructor(goType: string) {
    super();
    this.goType = goType;
  }
}

/**
 * A function that templates can call. The evaluator checks and converts arguments by `params`
 * before the call. Types are Go's names: `string`, `int`, `int64`, `float64`, `bool`,
 * `interface {}`, `[]interface {}`, `[]string`, `map[string]interface {}`, `time.Time`,
 * `reflect.Value` (the argument unchanged; nil is allowed).
 */
export interface GoFunction {
  readonly params: readonly string[];
  /** Whether the last of `params` may be given any number of times, including zero. */
  readonly variadic?: boolean;
  /** Go's error text if templates may not call the function because of its return values. */
  readonly refusal?: string;
  /** Throws {@link GoError} if Go returns an error or panics. */
  readonly call: (...args: never[]) => Value;
}

/** An error that Go would return or panic with. `message` is Go's text. */
export class GoError extends Error {
  override readonly name: string = 'GoError';
}
