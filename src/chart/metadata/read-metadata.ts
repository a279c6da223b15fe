import * as z from 'zod';
import type { Value } from '../../go/value.ts';
import type { YamlTree } from '../../yaml/compose.ts';
import { TypedScalar } from '../../yaml/compose.ts';
import { readTypedYaml } from '../../yaml/read.ts';
import { YamlError } from '../../yaml/yaml-error.ts';
import { sanitize } from './sanitize.ts';

// The error of each schema is Go's name of the expected type.
const item = z
  .union([z.null(), z.string(), z.instanceof(TypedScalar)], { error: 'string' })
  .transform((value) => (value instanceof TypedScalar ? value.text : (value ?? '')));
const cleanItem = item.transform(sanitize);
const text = item.optional();
const cleanText = cleanItem.optional();
const flag = z
  .union([z.null(), z.instanceof(TypedScalar).refine(({ value }) => typeof value === 'boolean')], { error: 'bool' })
  .transform((value) => value?.value === true)
  .optional();
const anything = z.custom<YamlTree>().transform(untyped);

function list<T extends z.ZodType>(element: T, type: string) {
  return z
    .array(element, { error: type })
    .nullish()
    .transform((items) => items ?? undefined);
}

/** A Go struct: fields are matched by JSON name, ignoring case if no name matches exactly. */
function struct<S extends z.ZodRawShape>(shape: S, type: string) {
  return z.preprocess(
    (input) => (input instanceof Map ? pickFields(input, Object.keys(shape)) : input),
    z.object(shape, { error: type }),
  );
}

function pickFields(map: ReadonlyMap<unknown, unknown>, names: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name of names) {
    if (map.has(name)) picked[name] = map.get(name);
  }
  for (const [key, value] of map) {
    const name = names.find((candidate) => candidate.toLowerCase() === String(key).toLowerCase());
    if (name !== undefined && !(name in picked)) picked[name] = value;
  }
  return picked;
}

const maintainer = struct({ name: cleanText, email: cleanText, url: cleanText }, 'v2.Maintainer');

const dependencyFields = struct(
  {
    name: cleanText,
    version: cleanText,
    repository: cleanText,
    condition: cleanText,
    tags: list(cleanItem, '[]string'),
    enabled: flag,
    'import-values': list(anything, '[]interface {}'),
    alias: text,
  },
  'v2.Dependency',
);

const dependency = dependencyFields.transform(({ 'import-values': importValues, ...rest }) => ({
  ...rest,
  importValues,
}));

const metadata = struct(
  {
    name: cleanText,
    home: cleanText,
    sources: list(cleanItem, '[]string'),
    version: text,
    description: cleanText,
    keywords: list(cleanItem, '[]string'),
    maintainers: list(maintainer.nullable(), '[]*v2.Maintainer'),
    icon: cleanText,
    apiVersion: text,
    condition: cleanText,
    tags: cleanText,
    appVersion: cleanText,
    deprecated: flag,
    annotations: z
      .map(z.string(), item, { error: 'map[string]string' })
      .nullish()
      .transform((map) => (map ? Object.fromEntries(map) : undefined)),
    kubeVersion: cleanText,
    dependencies: list(dependency.nullable(), '[]*v2.Dependency'),
    type: text,
  },
  'v2.Metadata',
);

/** Chart.yaml or requirements.yaml before validation. */
export type RawMetadata = Partial<z.infer<typeof metadata>>;
export type RawDependency = z.infer<typeof dependency>;

const chartBase = struct({ apiVersion: text }, 'loader.chartBase');

const lock = struct(
  { generated: text, digest: text, dependencies: list(dependency.nullable(), '[]*v2.Dependency') },
  'v2.Lock',
);
type RawLock = z.infer<typeof lock>;

/**
 * Reads Chart.yaml or requirements.yaml with the conversions of Go's JSON decoder. Throws {@link
 * YamlError}.
 */
export function readMetadata(yaml: string): RawMetadata {
  return decode(metadata, readTypedYaml(yaml), 'Metadata');
}

/** Like {@link readMetadata}, for metadata that is part of a larger document. */
export function decodeMetadata(tree: YamlTree): RawMetadata {
  return decode(metadata, tree, 'Metadata');
}

/** Returns the apiVersion of a Chart.yaml; empty if it has none. Throws {@link YamlError}. */
export function readApiVersion(yaml: string): string {
  return decode(chartBase, readTypedYaml(yaml), 'chartBase').apiVersion ?? '';
}

/** Reads Chart.lock or requirements.lock. Throws {@link YamlError}. */
export function readLock(yaml: string): RawLock | undefined {
  const tree = readTypedYaml(yaml);
  return tree === null ? undefined : decode(lock, tree, 'Lock');
}

function decode<T>(schema: z.ZodType<T>, tree: YamlTree, name: string): T {
  const result = schema.safeParse(tree ?? new Map());
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = issue?.path ?? [];
  // Go reports the field that holds the map, not the key in it
  const fields = path.filter((step, i) => typeof step === 'string' && path[i - 1] !== 'annotations');
  const owner =
    fields.length < 2
      ? name
      : fields[0] === 'maintainers'
        ? 'Maintainer'
        : fields[0] === 'dependencies'
          ? 'Dependency'
          : name;
  const target = fields.length === 0 ? 'Go value' : `Go struct field ${owner}.${fields.join('.')}`;
  const kind = jsonKind(follow(tree, path));
  throw new YamlError(
    `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${kind} into ${target} of type ${issue?.message ?? ''}`,
  );
}

function follow(tree: YamlTree, path: readonly PropertyKey[]): YamlTree | undefined {
  let current: YamlTree | undefined = tree;
  for (const step of path) {
    if (current instanceof Map)
      current = new Map(Object.entries(pickFields(current, [String(step)]))).get(String(step)) as YamlTree | undefined;
    else current = Array.isArray(current) ? current[Number(step)] : undefined;
  }
  return current;
}

function jsonKind(tree: YamlTree | undefined): string {
  if (tree instanceof Map) return 'object';
  if (Array.isArray(tree)) return 'array';
  const value = tree instanceof TypedScalar ? tree.value : tree;
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function untyped(tree: YamlTree): Value {
  if (tree instanceof TypedScalar) return tree.value;
  if (Array.isArray(tree)) return tree.map(untyped);
  return tree instanceof Map ? new Map([...tree].map(([key, value]) => [key, untyped(value)])) : tree;
}
