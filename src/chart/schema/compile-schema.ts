import { quote } from '../../go/strconv.ts';
import type { Value } from '../../go/value.ts';
import { ValuesError } from '../values/values-error.ts';
import { compileDocument } from './compile.ts';
import { draftUrl } from './draft.ts';
import type { Draft } from './draft.ts';
import { failureLines, quoteText } from './failure.ts';
import { metaschemaAt } from './metaschemas.ts';
import { encodePointer } from './pointer.ts';
import { openDocument, resourceAt } from './schema-document.ts';
import type { SchemaDocument } from './schema-document.ts';
import type { Schema } from './schema.ts';
import { validate } from './validate.ts';

/** What Helm calls the schema of a chart. */
const schemaUrl = 'file:///values.schema.json';

/** What a draft's own schema weighs in a {@link SchemaCache}: about its characters. */
const metaschemaWeight = 10_000;

/** Keeps compiled schemas, so that none is compiled again for each render: the drafts' own by address, others by their text. */
export interface SchemaCache {
  get(key: string): Schema | undefined;
  /** `weight`: the characters of its source. */
  set(key: string, schema: Schema, weight: number): unknown;
}

/** Schemas that others may refer to, by their addresses without fragment. */
export type RemoteSchemas = ReadonlyMap<string, Value>;

/**
 * Compiles a schema after it was held against the schema of its draft, as Helm's validator does. Throws {@link ValuesError} with Helm's text for what is no
 * schema, and where it refers to what lies outside and is not among `remote`.
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
  const place = quote(`${document.url}#${encodePointer(pointer)}`);
  const lines = failureLines(failure).replace(/\n$/, '');
  throw new ValuesError(
    `${place} is not valid against metaschema: jsonschema validation failed with ${quoteText(metaschema.location)}\n${lines}`,
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
