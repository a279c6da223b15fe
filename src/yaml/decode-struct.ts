import { quote } from '../go/strconv.ts';
import { sortedKeys } from '../go/text.ts';
import type { Value } from '../go/value.ts';
import { TypedScalar, type YamlTree } from './compose.ts';
import { YamlError } from './yaml-error.ts';

/**
 * A Go type that YAML and JSON are decoded into, as `encoding/json` does it: field names match in
 * any case, null changes nothing or is Go's nil, and a value of a wrong type is left out.
 */
export interface GoType<T> {
  /** Name of the type in errors. */
  readonly name: string;
  /** Value before anything is decoded. */
  readonly zero: T;
  /** Whether null is the zero value, and does not leave the value as it is. Default: false. */
  readonly isNilable?: boolean;
  /** Returns `current` with the contents of `tree` decoded into it. */
  readonly decode: (tree: Exclude<YamlTree, null>, place: Place, current: T) => T;
}

/** The place of what is decoded. */
interface Place {
  /** Name of the innermost struct without its package. Empty if the struct is anonymous. */
  readonly struct: string;
  /** Names of the fields, outermost first. Empty for the value that is not in a struct. */
  readonly fields: readonly string[];
  /** Whether fields that a struct does not have are errors. */
  readonly isStrict: boolean;
  /** Keeps an error, with Go's text. The first one is reported after all has been decoded. */
  readonly report: (error: YamlError) => void;
}

/** Go's `string`. Numbers and booleans become the text that sigs.k8s.io/yaml prints. */
export const goString: GoType<string> = {
  name: 'string',
  zero: '',
  decode(tree, place, current) {
    if (typeof tree === 'string') return tree;
    if (tree instanceof TypedScalar) return tree.text;
    reportType(tree, place, 'string');
    return current;
  },
};

/** Go's `bool`. */
export const goBool: GoType<boolean> = {
  name: 'bool',
  zero: false,
  decode(tree, place, current) {
    if (tree instanceof TypedScalar && typeof tree.value === 'boolean') return tree.value;
    reportType(tree, place, 'bool');
    return current;
  },
};

/** Go's `interface{}`. */
export const goAny: GoType<Value> = {
  name: 'interface {}',
  zero: null,
  isNilable: true,
  decode: untyped,
};

function untyped(tree: YamlTree): Value {
  if (tree instanceof TypedScalar) return tree.value;
  if (Array.isArray(tree)) return tree.map(untyped);
  return tree instanceof Map ? new Map(Array.from(tree, ([key, value]) => [key, untyped(value)])) : tree;
}

/** Returns the type of a Go map with texts as keys. */
export function goMap<T>(element: GoType<T>): GoType<ReadonlyMap<string, T>> {
  const name = `map[string]${element.name}`;
  return {
    name,
    zero: new Map(),
    isNilable: true,
    decode(tree, place, current) {
      if (!(tree instanceof Map)) {
        reportType(tree, place, name);
        return current;
      }
      const map = new Map(current);
      for (const key of sortedKeys(tree)) map.set(key, decodeAt(element, tree.get(key) ?? null, place));
      return map;
    },
  };
}

/** Go's `map[string]string`. */
export const goStringMap = goMap(goString);

/** Returns the type of a Go slice. Default of `name`: that of a slice without a name. */
export function goSlice<T>(element: GoType<T>, name = `[]${element.name}`): GoType<readonly T[]> {
  return {
    name,
    zero: [],
    isNilable: true,
    decode(tree, place, current) {
      if (Array.isArray(tree)) return tree.map((item, i) => decodeAt(element, item, place, current[i]));
      reportType(tree, place, name);
      return current;
    },
  };
}

/** Returns the type of a Go pointer, which is null for nil. */
export function goPointer<T>(type: GoType<T>): GoType<T | null> {
  return {
    name: `*${type.name}`,
    zero: null,
    isNilable: true,
    decode: (tree, place, current) => type.decode(tree, place, current ?? type.zero),
  };
}

/** Returns a type of slices or maps whose nil is undefined, and not the same as an empty one. */
export function goNilable<T>({ name, zero, decode }: GoType<T>): GoType<T | undefined> {
  return {
    name,
    zero: undefined,
    isNilable: true,
    decode: (tree, place, current) => decode(tree, place, current ?? zero),
  };
}

/** Types of the fields of a Go struct, by name. */
export type GoFields<T extends object> = { readonly [Field in keyof T & string]: GoType<T[Field]> };

/**
 * Returns the type of a Go struct.
 * @param name name in errors: `package.Name`, or the definition of an anonymous struct
 * @param fields types by field name: the `json` tag, or Go's name for a field without a tag
 */
export function goStruct<T extends object>(name: string, fields: GoFields<T>): GoType<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  const struct = /^\w+\.(\w+)$/.exec(name)?.[1] ?? '';
  // a value for each field of T, of that field's type
  const zero = Object.fromEntries(names.map((field) => [field, fields[field].zero])) as T;
  return {
    name,
    zero,
    decode(tree, place, current) {
      if (!(tree instanceof Map)) {
        reportType(tree, place, name);
        return current;
      }
      const result = { ...current };
      for (const key of sortedKeys(tree)) {
        const field = names.find((candidate) => candidate.toLowerCase() === key.toLowerCase());
        if (field === undefined) {
          if (place.isStrict) place.report(new YamlError(`json: unknown field ${quote(key)}`));
          continue;
        }
        const inner = { ...place, struct, fields: [...place.fields, field] };
        result[field] = decodeAt(fields[field], tree.get(key) ?? null, inner, result[field]);
      }
      return result;
    },
  };
}

export interface DecodeOptions<T> {
  /** Value that is decoded into. Default: that of the type before anything is decoded. */
  current?: T | undefined;
  /** Whether fields that a struct does not have are errors. Default: false. */
  isStrict?: boolean;
}

/** Returns what JSON has. Throws {@link YamlError} with Go's text. */
export function decodeJsonTree<T>(tree: YamlTree, type: GoType<T>, options: DecodeOptions<T> = {}): T {
  const { current, isStrict = false } = options;
  let first: YamlError | undefined;
  const report = (error: YamlError) => void (first ??= error);
  const value = decodeAt(type, tree, { struct: '', fields: [], isStrict, report }, current);
  if (first !== undefined) throw first;
  return value;
}

/** Returns what can be decoded, without the values of a wrong type. */
export function decodeReadable<T>(tree: YamlTree, type: GoType<T>): T {
  return decodeAt(type, tree, { struct: '', fields: [], isStrict: false, report: () => undefined });
}

/** Returns what YAML has. Throws {@link YamlError} with the text of sigs.k8s.io/yaml. */
export function decodeYamlTree<T>(tree: YamlTree, type: GoType<T>, options?: DecodeOptions<T>): T {
  try {
    return decodeJsonTree(tree, type, options);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new YamlError(`error unmarshaling JSON: while decoding JSON: ${error.message}`);
  }
}

function decodeAt<T>(type: GoType<T>, tree: YamlTree, place: Place, current = type.zero): T {
  if (tree === null) return type.isNilable ? type.zero : current;
  return type.decode(tree, place, current);
}

function reportType(tree: Exclude<YamlTree, null>, { struct, fields, report }: Place, type: string): void {
  const target = fields.length === 0 ? 'Go value' : `Go struct field ${struct}.${fields.join('.')}`;
  report(new YamlError(`json: cannot unmarshal ${jsonKind(tree)} into ${target} of type ${type}`));
}

function jsonKind(tree: Exclude<YamlTree, null>): string {
  if (tree instanceof Map) return 'object';
  if (Array.isArray(tree)) return 'array';
  const kind = typeof (tree instanceof TypedScalar ? tree.value : tree);
  return kind === 'boolean' ? 'bool' : kind;
}
