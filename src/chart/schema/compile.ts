import { RE2JS, RE2JSException } from 're2js';
import { quote } from '../../go/strconv.ts';
import { isMap } from '../../go/types.ts';
import type { Value } from '../../go/value.ts';
import { ValuesError } from '../values-error.ts';
import { draftUrl } from './draft.ts';
import { quoteText } from './failure.ts';
import { formats } from './formats.ts';
import { lookUp, pointerTo } from './pointer.ts';
import { joinUrl, notLoaded, openDocument, resolveFragment, resourceAt } from './schema-document.ts';
import type { Resource, SchemaDocument } from './schema-document.ts';
import { jsonTypes } from './schema.ts';
import type { JsonType, Schema } from './schema.ts';

/** What Helm calls the schema of a chart. */
const schemaUrl = 'file:///values.schema.json';

interface Compilation {
  readonly document: SchemaDocument;
  /** By pointer; what is not compiled yet waits in `queue`. */
  readonly schemas: Map<string, Schema>;
  readonly queue: { pointer: string; value: Value | undefined; schema: Schema }[];
}

/** One schema object that is being compiled. */
interface Source {
  readonly compilation: Compilation;
  readonly pointer: string;
  readonly keywords: ReadonlyMap<string, Value>;
  readonly resource: Resource;
}

/**
 * Compiles a schema with all that it refers to, in the order of Helm's validator, so that the same reference is the first to fail.
 * Throws {@link ValuesError}: only references within the schema are followed.
 */
export function compileSchema(root: Value): Schema {
  const compilation: Compilation = { document: openDocument(schemaUrl, root), schemas: new Map(), queue: [] };
  const top = enqueue(compilation, '', root);
  for (const { pointer, value, schema } of compilation.queue) compileAt(compilation, pointer, value, schema);
  return top;
}

/** The schema at a pointer, which is compiled later; `value` is what stands there, if the caller knows. */
function enqueue(compilation: Compilation, pointer: string, value?: Value): Schema {
  const known = compilation.schemas.get(pointer);
  if (known !== undefined) return known;
  const { document } = compilation;
  const schema: Schema = { location: `${document.url}#${pointer}`, draft: resourceAt(document, pointer).draft };
  compilation.schemas.set(pointer, schema);
  compilation.queue.push({ pointer, value: value ?? lookUp(document.root, pointer), schema });
  return schema;
}

function compileAt(compilation: Compilation, pointer: string, value: Value | undefined, schema: Schema): void {
  const resource = resourceAt(compilation.document, pointer);
  schema.resource = enqueue(compilation, resource.pointer);
  if (resource.draft >= 2020 && resource.pointer === pointer) {
    schema.dynamicAnchors = new Map(
      [...resource.dynamicAnchors].map((name) => [name, enqueue(compilation, resource.anchors.get(name) ?? pointer)]),
    );
  }
  if (typeof value === 'boolean') schema.bool = value;
  else if (isMap(value) && value.size === 0) schema.bool = true;
  else if (isMap(value)) compileKeywords({ compilation, pointer, keywords: value, resource }, schema);
}

function compileKeywords(source: Source, schema: Schema): void {
  const ref = reference(source, '$ref');
  if (ref !== undefined) schema.ref = ref;
  if (schema.draft < 2019 && ref !== undefined) return;
  compileApplicators(source, schema);
  compileAssertions(source, schema);
  if (schema.draft >= 6) {
    assign(schema, 'contains', child(source, 'contains'));
    assign(schema, 'propertyNames', child(source, 'propertyNames'));
    assign(schema, 'constant', source.keywords.get('const'));
  }
  if (schema.draft >= 7) compileConditions(source, schema);
  if (schema.draft >= 2019) compileDraft2019(source, schema);
  if (schema.draft >= 2020) compileDraft2020(source, schema);
}

function compileApplicators(source: Source, schema: Schema): void {
  assign(schema, 'allOf', children(source, 'allOf'));
  assign(schema, 'anyOf', children(source, 'anyOf'));
  assign(schema, 'oneOf', children(source, 'oneOf'));
  assign(schema, 'not', child(source, 'not'));
  if (schema.draft < 2020) {
    assign(schema, 'items', children(source, 'items') ?? child(source, 'items'));
    if (Array.isArray(schema.items)) assign(schema, 'additionalItems', booleanOrChild(source, 'additionalItems'));
  }
  assign(schema, 'properties', childMap(source, 'properties'));
  const patterns = childMap(source, 'patternProperties');
  if (patterns !== undefined) {
    const path = pointerTo(source.pointer, 'patternProperties');
    schema.patternProperties = [...patterns].map(([text, below]) => [compilePattern(source, text, path), below]);
  }
  assign(schema, 'additionalProperties', booleanOrChild(source, 'additionalProperties'));
  const dependencies = source.keywords.get('dependencies');
  if (!isMap(dependencies)) return;
  schema.dependencies = new Map(
    [...dependencies].map(([name, value]) => [
      name,
      texts(value) ?? enqueue(source.compilation, pointerTo(source.pointer, 'dependencies', name)),
    ]),
  );
}

function compileAssertions(source: Source, schema: Schema): void {
  const { keywords } = source;
  const types = typesOf(keywords.get('type'));
  if (types.length > 0) schema.types = types;
  assign(schema, 'choices', list(keywords.get('enum')));
  assign(schema, 'multipleOf', number(source, 'multipleOf'));
  compileBounds(source, schema);
  for (const name of ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const) {
    assign(schema, name, wholeNumber(source, name));
  }
  const pattern = keywords.get('pattern');
  if (typeof pattern === 'string') {
    schema.pattern = {
      text: pattern,
      expression: compilePattern(source, pattern, pointerTo(source.pointer, 'pattern')),
    };
  }
  if (keywords.get('uniqueItems') === true) schema.uniqueItems = true;
  assign(schema, 'required', texts(keywords.get('required')));
  const format = keywords.get('format');
  // from 2019 on, formats are annotations
  if (schema.draft < 2019 && typeof format === 'string') assign(schema, 'format', formats.get(format));
}

function compileBounds(source: Source, schema: Schema): void {
  const { keywords } = source;
  const maximum = number(source, 'maximum');
  if (keywords.get('exclusiveMaximum') === true) assign(schema, 'exclusiveMaximum', maximum);
  else {
    assign(schema, 'maximum', maximum);
    assign(schema, 'exclusiveMaximum', number(source, 'exclusiveMaximum'));
  }
  const minimum = number(source, 'minimum');
  if (keywords.get('exclusiveMinimum') === true) assign(schema, 'exclusiveMinimum', minimum);
  else {
    assign(schema, 'minimum', minimum);
    assign(schema, 'exclusiveMinimum', number(source, 'exclusiveMinimum'));
  }
}

function compileConditions(source: Source, schema: Schema): void {
  const condition = source.keywords.get('if');
  if (condition === undefined) return;
  assign(schema, 'if', child(source, 'if'));
  if (condition !== false) assign(schema, 'then', child(source, 'then'));
  if (condition !== true) assign(schema, 'else', child(source, 'else'));
}

function compileDraft2019(source: Source, schema: Schema): void {
  assign(schema, 'recursiveRef', reference(source, '$recursiveRef'));
  if (source.keywords.get('$recursiveAnchor') === true) schema.recursiveAnchor = true;
  if (schema.contains !== undefined) {
    assign(schema, 'minContains', wholeNumber(source, 'minContains'));
    assign(schema, 'maxContains', wholeNumber(source, 'maxContains'));
  }
  const required = source.keywords.get('dependentRequired');
  if (isMap(required)) {
    schema.dependentRequired = new Map(
      [...required].flatMap(([name, value]) => {
        const names = texts(value);
        return names === undefined ? [] : [[name, names]];
      }),
    );
  }
  assign(schema, 'dependentSchemas', childMap(source, 'dependentSchemas'));
  assign(schema, 'unevaluatedItems', child(source, 'unevaluatedItems'));
  assign(schema, 'unevaluatedProperties', child(source, 'unevaluatedProperties'));
}

function compileDraft2020(source: Source, schema: Schema): void {
  const target = reference(source, '$dynamicRef');
  if (target !== undefined) {
    const text = source.keywords.get('$dynamicRef');
    const fragment = typeof text === 'string' ? (text.split('#')[1] ?? '') : '';
    schema.dynamicRef = { schema: target, anchor: fragment.startsWith('/') ? '' : fragment };
  }
  const anchor = source.keywords.get('$dynamicAnchor');
  if (typeof anchor === 'string') schema.dynamicAnchor = anchor;
  assign(schema, 'prefixItems', children(source, 'prefixItems'));
  assign(schema, 'items', child(source, 'items'));
}

function assign<K extends keyof Schema>(schema: Schema, keyword: K, value: Schema[K] | undefined): void {
  if (value !== undefined) schema[keyword] = value;
}

function reference(source: Source, keyword: string): Schema | undefined {
  const { compilation, resource } = source;
  const text = source.keywords.get(keyword);
  if (typeof text !== 'string') return undefined;
  const [address = '', fragment = ''] = text.split('#');
  const url = joinUrl(resource.id, address);
  const { document } = compilation;
  const target =
    url === document.url ? resourceAt(document, '') : [...document.resources.values()].find(({ id }) => id === url);
  if (target !== undefined) return enqueue(compilation, resolveFragment(document, target, fragment));
  // Helm takes an unknown URN, and the drafts' own schemas, without looking at values
  if (/^urn:|^https?:\/\/json-schema\.org\//.test(url)) return { location: url, draft: resource.draft, bool: true };
  throw notLoaded(url);
}

function child(source: Source, keyword: string): Schema | undefined {
  const value = source.keywords.get(keyword);
  return value === undefined ? undefined : enqueue(source.compilation, pointerTo(source.pointer, keyword), value);
}

function children(source: Source, keyword: string): Schema[] | undefined {
  const value = list(source.keywords.get(keyword));
  return value?.map((item, i) => enqueue(source.compilation, pointerTo(source.pointer, keyword, i), item));
}

function childMap(source: Source, keyword: string): ReadonlyMap<string, Schema> | undefined {
  const value = source.keywords.get(keyword);
  if (!isMap(value)) return undefined;
  return new Map(
    [...value].map(([key, below]) => [
      key,
      enqueue(source.compilation, pointerTo(source.pointer, keyword, key), below),
    ]),
  );
}

function booleanOrChild(source: Source, keyword: string): boolean | Schema | undefined {
  const value = source.keywords.get(keyword);
  return typeof value === 'boolean' ? value : child(source, keyword);
}

function list(value: Value | undefined): readonly Value[] | undefined {
  return Array.isArray(value) ? (value as readonly Value[]) : undefined;
}

function texts(value: Value | undefined): string[] | undefined {
  return list(value)?.filter((item) => typeof item === 'string');
}

function number(source: Source, keyword: string): number | undefined {
  const value = source.keywords.get(keyword);
  return typeof value === 'number' ? value : undefined;
}

function wholeNumber(source: Source, keyword: string): number | undefined {
  const value = number(source, keyword);
  return Number.isInteger(value) ? value : undefined;
}

function typesOf(value: Value | undefined): JsonType[] {
  const names = typeof value === 'string' ? [value] : (texts(value) ?? []);
  return jsonTypes.filter((type) => names.includes(type));
}

function compilePattern(source: Source, pattern: string, pointer: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new ValuesError(
      `${quote(`${schemaUrl}#`)} is not valid against metaschema: jsonschema validation failed with '${draftUrl(source.resource.draft)}#'\n` +
        `- at ${quoteText(pointer)}: ${quoteText(pattern)} is not valid regex: ${error.message}`,
    );
  }
}
