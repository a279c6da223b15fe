/**
 * The values of templates: Go's types as far as charts see them. docs/adr/0001-template-values.md says why each is what it is.
 */

/** Anything that a template can hold. `null` is Go's nil; `undefined` is never a value. */
export type Value =
  null | boolean | number | string | Int | Uint8Array | readonly Value[] | ReadonlyMap<string, Value> | GoObject;

/** `map[string]interface {}`, or with {@link NamedMap} another map with string keys. */
export type ValueMap = Map<string, Value>;

/** A list that may be changed by its owner. */
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

/** A Go integer: its kind, and its value wrapped to the kind's width. */
export class Int {
  readonly kind: IntKind;
  readonly value: bigint;

  constructor(kind: IntKind, value: bigint) {
    const [bits, signed] = widths[kind];
    this.kind = kind;
    this.value = signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
  }
}

/** An `int`. `value` must be whole where it is a number. */
export function int(value: number | bigint): Int {
  return new Int('int', BigInt(value));
}

/** An `int64`. `value` must be whole where it is a number. */
export function int64(value: number | bigint): Int {
  return new Int('int64', BigInt(value));
}

/** A slice whose elements are not `interface {}`: `[]string`, `[]int`, `[][]interface {}`. */
export class Slice extends Array<Value> {
  /** Go's name of the element type. */
  readonly element: string;
  /** Whether it is Go's nil slice, which JSON and YAML print as null. */
  readonly isNil: boolean;

  constructor(element: string, items: readonly Value[] | null) {
    super();
    this.element = element;
    this.isNil = items === null;
    if (items !== null) for (const item of items) this.push(item);
  }

  /** Results of `map`, `filter` and their kin are plain arrays. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

/** A map whose Go type is not `map[string]interface {}`: `common.Values`, `map[string]string`. */
export class NamedMap extends Map<string, Value> {
  /** Go's name of the type, as `%T` prints it. */
  readonly goType: string;
  /** Whether it is Go's nil map, which JSON and YAML print as null. */
  readonly isNil: boolean;

  constructor(goType: string, entries: Iterable<readonly [string, Value]> | null = []) {
    super(entries);
    this.goType = goType;
    this.isNil = entries === null;
  }

  /** A map of the same type with other contents. */
  like(entries: Iterable<readonly [string, Value]>): NamedMap {
    return new NamedMap(this.goType, entries);
  }

  /** The exported method of that name, or undefined where the type has none. It comes before a key of that name. */
  method(_name: string): GoFunction | undefined {
    return undefined;
  }
}

/** A Go value with fields or methods: a struct, a pointer to one, or a named type. */
export abstract class GoObject {
  /** Go's name of the type, as `%T` prints it: `time.Time`, `*common.Capabilities`. */
  abstract readonly goType: string;
  /** What `reflect` calls its kind: `struct`, `ptr`, `map`, `slice`, `int64`, `func`. */
  abstract readonly kind: string;

  /** The exported field of that name, or undefined where the type has none. */
  field(_name: string): Value | undefined {
    return undefined;
  }

  /** The names of the exported fields in their order. */
  fields(): readonly string[] {
    return [];
  }

  /** The exported method of that name, or undefined where the type has none. */
  method(_name: string): GoFunction | undefined {
    return undefined;
  }

  /** What `String()` or `Error()` answers, where the type has one: printing uses it. */
  text(): string | undefined {
    return undefined;
  }

  /**
   * What `String()` answers where only the pointer to the type has it. A template that prints such a field of a struct sees it;
   * a function that is given the field sees a copy without the method.
   */
  addressedText(): string | undefined {
    return undefined;
  }

  /** All fields with their values in their order, unexported ones too, as `%v` prints a struct. */
  members(): readonly (readonly [name: string, value: Value])[] {
    return this.fields().map((name) => [name, this.field(name) ?? null]);
  }

  /** The plain value of a named type whose kind is a basic one: the `int64` of a `time.Duration`. */
  underlying(): boolean | number | string | Int | undefined {
    return undefined;
  }

  /** What `GoString()` answers, where the type has one: `%#v` prints it. */
  goString(): string | undefined {
    return undefined;
  }

  /** What the value counts as in `range`, `index` and `len`, where its kind is a map or a slice. */
  contents(): ReadonlyMap<string, Value> | readonly Value[] | undefined {
    return undefined;
  }

  /** Go's type of what {@link contents} holds. */
  elementType(): string {
    return 'interface {}';
  }

  /** What JSON and YAML write for it; undefined: its {@link jsonMembers} as an object. */
  json(): Value | undefined {
    return undefined;
  }

  /** The exported fields in their order under the names that JSON has for them. */
  jsonMembers(): readonly (readonly [name: string, value: Value])[] {
    return this.fields().map((name) => [name, this.field(name) ?? null]);
  }
}

/** A nil pointer of that type, in a struct. */
export class NilPointer extends GoObject {
  readonly goType: string;
  readonly kind = 'ptr';

  constructor(goType: string) {
    super();
    this.goType = goType;
  }
}

/**
 * A function that templates can call. The evaluator checks and converts arguments by `params` before it calls.
 * Types are Go's names: `string`, `int`, `int64`, `float64`, `bool`, `interface {}`, `[]interface {}`, `[]string`, `map[string]interface {}`,
 * `time.Time`, `reflect.Value` (the argument as it is, nil allowed).
 */
export interface GoFunction {
  readonly params: readonly string[];
  /** Whether the last of `params` may come any number of times, none included. */
  readonly variadic?: boolean;
  /** Go's text where templates may not call it for what it returns. */
  readonly refusal?: string;
  /** Throws {@link GoError} where Go returns an error or panics. */
  readonly call: (...args: never[]) => Value;
}

/** An error that Go would return or panic with. `message` is Go's text. */
export class GoError extends Error {
  override readonly name: string = 'GoError';
}
