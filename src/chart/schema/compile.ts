import { RE2JS, RE2JSException } from 're2js';
import { quote } from '../../go/strconv.ts';
import { isMap } from '../../go/types.ts';
import type { Value } from '../../go/value.ts';
import { ValuesError } from '../values/values-error.ts';
import { defaultDraft } from './draft.ts';
import { formats } from './formats.ts';
import { metaschemaAt } from './metaschemas.ts';
import { encodePointer, pointerTo } from './pointer.ts';
import type { JsonType, Schema } from './schema.ts';
import { jsonTypes } from './schema.ts';
import type { Resource, SchemaDocument } from './schema-document.ts';
import {
  addSchema,
  joinUrl,
  notLoaded,
  openDocument,
  requireAt,
  resolveFragment,
  resourceAt,
} from './schema-document.ts';

/** Options for compiling a document and the documents it references. */
export interface CompileRules {
  /** Whether formats are also checked in drafts from 2019-09 on. */
  readonly assertFormats: boolean;
  /**
   * Called for each document, and for each location that only a reference makes a schema. Throws if
   * it is not valid.
   */
  check(document: SchemaDocument, pointer: string, value: Value): void;
  /** Returns the schema at another URL if it may be referenced. */
  other(url: string): Value | undefined;
}

interface Compilation {
  readonly rules: CompileRules;
  /** Documents by URL. */
  readonly documents: Map<string, SchemaDocument>;
  /** Schemas by location. Those not compiled yet are in `queue`. */
  readonly schemas: Map<string, Schema>;
  readonly queue: { document: SchemaDocument; pointer: string; value: Value | undefined; schema: Schema }[];
}

/** A schema object that is being compiled. */
interface SchemaContext {
  readonly compilation: Compilation;
  readonly document: SchemaDocument;
  readonly pointer: string;
  readonly keywords: ReadonlyMap<string, Value>;
  readonly resource: Resource;
}

/**
 * Compiles a document with everything it references, in the order of Helm's validator, so that the
 * same reference is the first to fail. Throws {@link ValuesError} for references outside the
 * document, except to the drafts' own schemas and to `rules.other`.
 */
export function compileDocument(document: SchemaDocument, rules: CompileRules): Schema {
  const compilation: Compilation = {
    rules,
    documents: new Map([[document.url, document]]),
    schemas: new Map(),
    queue: [],
  };
  rules.check(document, '', document.root);
  const top = enqueue(compilation, document, '', document.root);
  for (const { pointer, value, schema, ...entry } of compilation.queue) {
    const present = value ?? requireAt(entry.document, pointer);
    if (addSchema(entry.document, pointer, present)) rules.check(entry.document, pointer, present);
    compileAt(compilation, entry.document, pointer, present, schema);
  }
  return top;
}

/** Returns the schema at a pointer, to be compiled later. `value` is the JSON there, if known. */
function enqueue(compilation: Compilation, document: SchemaDocument, pointer: string, value?: Value): Schema {
  const location = `${document.url}#${pointer}`;
  const known = compilation.schemas.get(location);
  if (known !== undefined) return known;
  const schema: Schema = { location, draft: defaultDraft };
  compilation.schemas.set(location, schema);
  compilation.queue.push({ document, pointer, value, schema });
  return schema;
}

function compileAt(
  compilation: Compilation,
  document: SchemaDocument,
  pointer: string,
  value: Value,
  schema: Schema,
): void {
  const resource = resourceAt(document, pointer);
  schema.draft = resource.draft;
  schema.resource = enqueue(compilation, document, resource.pointer);
  if (resource.draft >= 2020 && resource.pointer === pointer) {
    const target = (name: string) => enqueue(compilation, document, resource.anchors.get(name) ?? pointer);
    schema.dynamicAnchors = new Map([...resource.dynamicAnchors].map((name) => [name, target(name)]));
  }
  if (typeof value === 'boolean') schema.bool = value;
  else if (isMap(value) && value.size === 0) schema.bool = true;
  else if (isMap(value)) compileKeywords({ compilation, document, pointer, keywords: value, resource }, schema);
}

function compileKeywords(context: SchemaContext, schema: Schema): void {
  const ref = reference(context, '$ref');
  if (ref !== undefined) schema.ref = ref;
  if (schema.draft < 2019 && ref !== undefined) return;
  compileApplicators(context, schema);
  compileAssertions(context, schema);
  if (schema.draft >= 6) {
    assign(schema, 'contains', child(context, 'contains'));
    assign(schema, 'propertyNames', child(context, 'propertyNames'));
    assign(schema, 'constant', context.keywords.get('const'));
  }
  if (schema.draft >= 7) compileConditions(context, schema);
  if (schema.draft >= 2019) compileDraft2019(context, schema);
  if (schema.draft >= 2020) compileDraft2020(context, schema);
}

function compileApplicators(context: SchemaContext, schema: Schema): void {
  assign(schema, 'allOf', children(context, 'allOf'));
  assign(schema, 'anyOf', children(context, 'anyOf'));
  assign(schema, 'oneOf', children(context, 'oneOf'));
  assign(schema, 'not', child(context, 'not'));
  if (schema.draft < 2020) {
    assign(schema, 'items', children(context, 'items') ?? child(context, 'items'));
    if (Array.isArray(schema.items)) assign(schema, 'additionalItems', booleanOrChild(context, 'additionalItems'));
  }
  assign(schema, 'properties', childMap(context, 'properties'));
  const patterns = childMap(context, 'patternProperties');
  if (patterns !== undefined) {
    const path = pointerTo(context.pointer, 'patternProperties');
    schema.patternProperties = [...patterns].map(([text, below]) => [compilePattern(context, text, path), below]);
  }
  assign(schema, 'additionalProperties', booleanOrChild(context, 'additionalProperties'));
  const dependencies = context.keywords.get('dependencies');
  if (!isMap(dependencies)) return;
  schema.dependencies = new Map(
    [...dependencies].map(([name, value]) => [
      name,
      texts(value) ?? enqueue(context.compilation, context.document, pointerTo(context.pointer, 'dependencies', name)),
    ]),
  );
}

function compileAssertions(context: SchemaContext, schema: Schema): void {
  const { keywords } = context;
  const types = typesOf(keywords.get('type'));
  if (types.length > 0) schema.types = types;
  assign(schema, 'choices', list(keywords.get('enum')));
  assign(schema, 'multipleOf', number(context, 'multipleOf'));
  compileBounds(context, schema);
  for (const name of ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'] as const) {
    assign(schema, name, wholeNumber(context, name));
  }
  const pattern = keywords.get('pattern');
  if (typeof pattern === 'string') {
    schema.pattern = {
      text: pattern,
      expression: compilePattern(context, pattern, pointerTo(context.pointer, 'pattern')),
    };
  }
  if (keywords.get('uniqueItems') === true) schema.uniqueItems = true;
  assign(schema, 'required', texts(keywords.get('required')));
  const format = keywords.get('format');
  // from 2019-09 on, formats are annotations
  const asserted = schema.draft < 2019 || context.compilation.rules.assertFormats;
  if (asserted && typeof format === 'string') assign(schema, 'format', formats.get(format));
}

function compileBounds(context: SchemaContext, schema: Schema): void {
  const { keywords } = context;
  const maximum = number(context, 'maximum');
  if (keywords.get('exclusiveMaximum') === true) assign(schema, 'exclusiveMaximum', maximum);
  else {
    assign(schema, 'maximum', maximum);
    assign(schema, 'exclusiveMaximum', number(context, 'exclusiveMaximum'));
  }
  const minimum = number(context, 'minimum');
  if (keywords.get('exclusiveMinimum') === true) assign(schema, 'exclusiveMinimum', minimum);
  else {
    assign(schema, 'minimum', minimum);
    assign(schema, 'exclusiveMinimum', number(context, 'exclusiveMinimum'));
  }
}

function compileConditions(context: SchemaContext, schema: Schema): void {
  const condition = context.keywords.get('if');
  if (condition === undefined) return;
  assign(schema, 'if', child(context, 'if'));
  if (condition !== false) assign(schema, 'then', child(context, 'then'));
  if (condition !== true) assign(schema, 'else', child(context, 'else'));
}

function compileDraft2019(context: SchemaContext, schema: Schema): void {
  assign(schema, 'recursiveRef', reference(context, '$recursiveRef'));
  if (context.keywords.get('$recursiveAnchor') === true) schema.recursiveAnchor = true;
  if (schema.contains !== undefined) {
    assign(schema, 'minContains', wholeNumber(context, 'minContains'));
    assign(schema, 'maxContains', wholeNumber(context, 'maxContains'));
  }
  const required = context.keywords.get('dependentRequired');
  if (isMap(required)) {
    schema.dependentRequired = new Map(
      [...required].flatMap(([name, value]) => {
        const names = texts(value);
        return names === undefined ? [] : [[name, names]];
      }),
    );
  }
  assign(schema, 'dependentSchemas', childMap(context, 'dependentSchemas'));
  assign(schema, 'unevaluatedItems', child(context, 'unevaluatedItems'));
  assign(schema, 'unevaluatedProperties', child(context, 'unevaluatedProperties'));
}

function compileDraft2020(context: SchemaContext, schema: Schema): void {
  const target = reference(context, '$dynamicRef');
  if (target !== undefined) {
    const text = context.keywords.get('$dynamicRef');
    const fragment = typeof text === 'string' ? (text.split('#')[1] ?? '') : '';
    schema.dynamicRef = { schema: target, anchor: fragment.startsWith('/') ? '' : fragment };
  }
  const anchor = context.keywords.get('$dynamicAnchor');
  if (typeof anchor === 'string') schema.dynamicAnchor = anchor;
  assign(schema, 'prefixItems', children(context, 'prefixItems'));
  assign(schema, 'items', child(context, 'items'));
}

function assign<K extends keyof Schema>(schema: Schema, keyword: K, value: Schema[K] | undefined): void {
  if (value !== undefined) schema[keyword] = value;
}

function reference(context: SchemaContext, keyword: string): Schema | undefined {
  const { compilation, document, resource } = context;
  const text = context.keywords.get(keyword);
  if (typeof text !== 'string') return undefined;
  const [address = '', fragment = ''] = text.split('#');
  const url = joinUrl(resource.id, address);
  const local = url === document.url ? resourceAt(document, '') : document.byId.get(url);
  if (local !== undefined) return enqueue(compilation, document, resolveFragment(document, local, fragment));
  const other = compilation.documents.get(url) ?? openOther(compilation, url);
  return enqueue(compilation, other, resolveFragment(other, resourceAt(other, ''), fragment));
}

/**
 * Opens another document: one that the caller supplied, a draft's own schema, or for a URN a schema
 * that accepts everything, as in Helm's validator.
 */
function openOther({ rules, documents }: Compilation, url: string): SchemaDocument {
  const root = rules.other(url) ?? (url.startsWith('urn:') ? true : metaschemaAt(url));
  if (root === undefined) throw notLoaded(url);
  const document = openDocument(url, root);
  documents.set(url, document);
  rules.check(document, '', root);
  return document;
}

function child(context: SchemaContext, keyword: string): Schema | undefined {
  const value = context.keywords.get(keyword);
  return value === undefined
    ? undefined
    : enqueue(context.compilation, context.document, pointerTo(context.pointer, keyword), value);
}

function children(context: SchemaContext, keyword: string): Schema[] | undefined {
  const value = list(context.keywords.get(keyword));
  return value?.map((item, i) =>
    enqueue(context.compilation, context.document, pointerTo(context.pointer, keyword, i), item),
  );
}

function childMap(context: SchemaContext, keyword: string): ReadonlyMap<string, Schema> | undefined {
  const value = context.keywords.get(keyword);
  if (!isMap(value)) return undefined;
  return new Map(
    [...value].map(([key, below]) => [
      key,
      enqueue(context.compilation, context.document, pointerTo(context.pointer, keyword, key), below),
    ]),
  );
}

function booleanOrChild(context: SchemaContext, keyword: string): boolean | Schema | undefined {
  const value = context.keywords.get(keyword);
  return typeof value === 'boolean' ? value : child(context, keyword);
}

function list(value: Value | undefined): readonly Value[] | undefined {
  return Array.isArray(value) ? (value as readonly Value[]) : undefined;
}

function texts(value: Value | undefined): string[] | undefined {
  return list(value)?.filter((item) => typeof item === 'string');
}

function number(context: SchemaContext, keyword: string): number | undefined {
  const value = context.keywords.get(keyword);
  return typeof value === 'number' ? value : undefined;
}

function wholeNumber(context: SchemaContext, keyword: string): number | undefined {
  const value = number(context, keyword);
  return Number.isInteger(value) ? value : undefined;
}

function typesOf(value: Value | undefined): JsonType[] {
  const names = typeof value === 'string' ? [value] : (texts(value) ?? []);
  return jsonTypes.filter((type) => names.includes(type));
}

function compilePattern({ document }: SchemaContext, pattern: string, pointer: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    const location = `${document.url}#${encodePointer(pointer)}`;
    throw new ValuesError(`invalid regex ${quote(pattern)} at ${quote(location)}: ${error.message}`);
  }
}
