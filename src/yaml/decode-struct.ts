import { sortedKeys } from '../go/text.ts';
import { TypedScalar, type YamlTree } from './compose.ts';
import { YamlError } from './yaml-error.ts';

/**
 * A Go type that YAML and JSON are decoded into, as `encoding/json` does it: field names match in
 * any case, null changes nothing, and a value of a wrong type is an error with Go's text.
 */
export interface GoType<T> {
  /** Name of the type in errors. */
  readonly name: string;
  /** Value before anything is decoded. */
  readonly zero: T;
  /** Returns `current` with the contents of `tree` decoded into it. Throws {@link YamlError}. */
  readonly decode: (tree: Exclude<YamlTree, null>, path: FieldPath, current: T) => T;
}

/** Path to the field that is decoded, as errors name it. */
interface FieldPath {
  /** Name of the innermost struct without its package. Empty if the struct is anonymous. */
  readonly struct: string;
  /** Names of the fields, outermost first. Empty for the value that is not in a struct. */
  readonly fields: readonly string[];
}

/** Go's `string`. Numbers and booleans become the text that sigs.k8s.io/yaml prints. */
export const goString: GoType<string> = {
  name: 'string',
  zero: '',
  decode(tree, path) {
    if (typeof tree === 'string') return tree;
    if (tree instanceof TypedScalar) return tree.text;
    throw wrongType(tree, path, 'string');
  },
};

/** Go's `bool`. */
export const goBool: GoType<boolean> = {
  name: 'bool',
  zero: false,
  decode(tree, path) {
    if (tree instanceof TypedScalar && typeof tree.value === 'boolean') return tree.value;
    throw wrongType(tree, path, 'bool');
  },
};

/** Go's `map[string]string`. */
export const goStringMap: GoType<ReadonlyMap<string, string>> = {
  name: 'map[string]string',
  zero: new Map(),
  decode(tree, path, current) {
    if (!(tree instanceof Map)) throw wrongType(tree, path, 'map[string]string');
    const map = new Map(current);
    for (const key of sortedKeys(tree)) map.set(key, decodeAt(goString, tree.get(key) ?? null, path));
    return map;
  },
};

/** Returns the type of a Go slice. */
export function goSlice<T>(element: GoType<T>): GoType<readonly T[]> {
  const name = `[]${element.name}`;
  return {
    name,
    zero: [],
    decode(tree, path) {
      if (!Array.isArray(tree)) throw wrongType(tree, path, name);
      return tree.map((item) => decodeAt(element, item, path));
    },
  };
}

/**
 * Returns the type of a Go struct.
 * @param name name in errors: `package.Name`, or the definition of an anonymous struct
 * @param fields types by field name: the `json` tag, or Go's name for a field without a tag
 */
export function goStruct<T extends object>(
  name: string,
  fields: { readonly [Field in keyof T & string]: GoType<T[Field]> },
): GoType<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  const struct = /^\w+\.(\w+)$/.exec(name)?.[1] ?? '';
  // a value for each field of T, of that field's type
  const zero = Object.fromEntries(names.map((field) => [field, fields[field].zero])) as T;
  return {
    name,
    zero,
    decode(tree, path, current) {
      if (!(tree instanceof Map)) throw wrongType(tree, path, name);
      const result = { ...current };
      for (const key of sortedKeys(tree)) {
        const field = names.find((candidate) => candidate.toLowerCase() === key.toLowerCase());
        if (field === undefined) continue;
        const inner = { struct, fields: [...path.fields, field] };
        result[field] = decodeAt(fields[field], tree.get(key) ?? null, inner, result[field]);
      }
      return result;
    },
  };
}

/** Decodes JSON. Throws {@link YamlError} with Go's text. */
export function decodeJsonTree<T>(tree: YamlTree, type: GoType<T>): T {
  return decodeAt(type, tree, { struct: '', fields: [] });
}

/** Decodes YAML. Throws {@link YamlError} with the text of sigs.k8s.io/yaml. */
export function decodeYamlTree<T>(tree: YamlTree, type: GoType<T>): T {
  try {
    return decodeJsonTree(tree, type);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new YamlError(`error unmarshaling JSON: while decoding JSON: ${error.message}`);
  }
}

function decodeAt<T>(type: GoType<T>, tree: YamlTree, path: FieldPath, current = type.zero): T {
  return tree === null ? current : type.decode(tree, path, current);
}

function wrongType(tree: Exclude<YamlTree, null>, { struct, fields }: FieldPath, type: string): YamlError {
  const target = fields.length === 0 ? 'Go value' : `Go struct field ${struct}.${fields.join('.')}`;
  return new YamlError(`json: cannot unmarshal ${jsonKind(tree)} into ${target} of type ${type}`);
}

function jsonKind(tree: Exclude<YamlTree, null>): string {
  if (tree instanceof Map) return 'object';
  if (Array.isArray(tree)) return 'array';
  const kind = typeof (tree instanceof TypedScalar ? tree.value : tree);
  return kind === 'boolean' ? 'bool' : kind;
}
