import { quote } from '../../go/strconv.ts';
import type { Value } from '../../go/value.ts';
import { ValuesError } from '../values/values-error.ts';
import { compileDocument } from './compile.ts';
import type { Draft } from './draft.ts';
import { draftUrl } from './draft.ts';
import { failureLines, quoteText } from './failure.ts';
import { metaschemaAt } from './metaschemas.ts';
import { encodePointer } from './pointer.ts';
import type { Schema } from './schema.ts';
import type { SchemaDocument } from './schema-document.ts';
import { openDocument, resourceAt } from './schema-document.ts';
import { validate } from './validate.ts';

/** Helm's URL of a chart's schema. */
const schemaUrl = 'file:///values.schema.json';

/** Weight of a draft's own schema in a {@link SchemaCache}: about its length in characters. */
const metaschemaWeight = 10_000;

/**
 * Cache of compiled schemas across renders. Drafts' own schemas are keyed by URL, others by their
 * text.
 */
export interface SchemaCache {
  get(key: string): Schema | undefined;
  /** `weight`: length of the schema's source in characters. */
  set(key: string, schema: Schema, weight: number): unknown;
}

/** Schemas that others may reference, by URL without fragment. */
export type RemoteSchemas = ReadonlyMap<string, Value>;

/**
 * Compiles a schema after validating it against the schema of its draft, as Helm's validator does.
 * Throws {@link ValuesError} with Helm's text if the schema is invalid or references a document
 * that is not in `remote`.
 */
export function compileSchema(root: Value, cache: SchemaCache, remote: RemoteSchemas = new Map()): Schema {
  const check = (document: SchemaDocument, pointer: string, value: Value) => {
    if (document.url === schemaUrl || remote.has(document.url)) requireSchema(document, pointer, value, cache);
  };
  const other = (url: string) => remote.get(url);
  return compileDocument(openDocument(schemaUrl, root), { assertFormats: false, check, other });
}

function requireSchema(document: SchemaDocument, pointer: string, value: Value, cache: SchemaCache): void {
  const metaschemaOf = (draft: Draft) => compiledMetaschema(draft, cache);
  const metaschema = metaschemaOf(resourceAt(document, pointer).draft);
  const { resources } = document;
  const failure = validate(metaschema, value, resources.size > 1 ? { metaschema, resources, metaschemaOf } : undefined);
  if (failure === undefined) return;
  const location = quote(`${document.url}#${encodePointer(pointer)}`);
  const lines = failureLines(failure).replace(/\n$/, '');
  throw new ValuesError(
    `${location} is not valid against metaschema: jsonschema validation failed with ${quoteText(metaschema.location)}\n${lines}`,
  );
}

function compiledMetaschema(draft: Draft, cache: SchemaCache): Schema {
  const url = draftUrl(draft);
  const known = cache.get(url);
  if (known !== undefined) return known;
  const rules = { assertFormats: true, check: () => undefined, other: () => undefined };
  const schema = compileDocument(openDocument(url, metaschemaAt(url) ?? true), rules);
  cache.set(url, schema, metaschemaWeight);
  return schema;
}
