import { quote } from '../../go/strconv.ts';
import { isMap } from '../../go/types.ts';
import type { Value } from '../../go/value.ts';
import { ValuesError } from '../values/values-error.ts';
import type { Draft } from './draft.ts';
import { defaultDraft, draftOf, subschemaKeywords } from './draft.ts';
import { checkUrl } from './formats.ts';
import { encodePointer, lookUp, pointerTo, unescapeUrl } from './pointer.ts';

/** A part of a document with its own URL: the document, or a schema with an `$id`. */
export interface Resource {
  readonly pointer: string;
  readonly id: string;
  readonly draft: Draft;
  /** Pointers by anchor name. */
  readonly anchors: Map<string, string>;
  readonly dynamicAnchors: Set<string>;
}

/** A schema's JSON with its resources and anchors. */
export interface SchemaDocument {
  readonly url: string;
  readonly root: Value;
  /** Resources by pointer. */
  readonly resources: Map<string, Resource>;
  /** Resources by URL. */
  readonly byId: Map<string, Resource>;
  /** The resources of the schemas found so far, by the pointers of the schemas. */
  readonly resourceOfSchema: Map<string, Resource>;
}

/**
 * Finds the resources and anchors of a schema. Throws {@link ValuesError} with the texts of Helm's
 * validator.
 */
export function openDocument(url: string, root: Value): SchemaDocument {
  const document: SchemaDocument = { url, root, resources: new Map(), byId: new Map(), resourceOfSchema: new Map() };
  collect(document, root, '', {
    pointer: '',
    id: url,
    draft: defaultDraft,
    anchors: new Map(),
    dynamicAnchors: new Set(),
  });
  return document;
}

/**
 * Adds a schema that only a reference makes one, outside the known keywords. Returns false if it
 * was known.
 */
export function addSchema(document: SchemaDocument, pointer: string, value: Value): boolean {
  if (document.resourceOfSchema.has(pointer)) return false;
  collect(document, value, pointer, resourceAt(document, pointer));
  return true;
}

/** Returns the value at a pointer. Throws {@link ValuesError}. */
export function requireAt(document: SchemaDocument, pointer: string): Value {
  const value = lookUp(document.root, pointer);
  if (value === undefined)
    throw new ValuesError(`json-pointer in ${quote(`${document.url}#${encodePointer(pointer)}`)} not found`);
  return value;
}

/** Returns the innermost resource that contains a pointer. */
export function resourceAt(document: SchemaDocument, pointer: string): Resource {
  for (let path = pointer; ; path = path.slice(0, path.lastIndexOf('/'))) {
    const resource = document.resourceOfSchema.get(path);
    if (resource !== undefined) return resource;
    if (path === '') throw unreadable('id', document, '');
  }
}

function collect(document: SchemaDocument, schema: Value, pointer: string, parent: Resource): void {
  if (document.resourceOfSchema.has(pointer)) return;
  const resource = isMap(schema) ? resourceOf(document, schema, pointer, parent) : parent;
  document.resourceOfSchema.set(pointer, resource);
  if (!isMap(schema)) {
    if (pointer === '') addResource(document, parent);
    return;
  }
  collectAnchors(document, schema, pointer, resource);
  for (const [keyword, shape] of subschemaKeywords[resource.draft]) {
    const value = schema.get(keyword);
    if (value === undefined) continue;
    const path = pointerTo(pointer, keyword);
    if (shape === 'schema') collect(document, value, path, resource);
    else if (shape === 'map' && isMap(value)) {
      for (const [key, child] of value) collect(document, child, pointerTo(path, key), resource);
    } else if (shape === 'list' && Array.isArray(value)) {
      for (const [i, child] of (value as readonly Value[]).entries())
        collect(document, child, pointerTo(path, i), resource);
    }
  }
}

function resourceOf(
  document: SchemaDocument,
  schema: ReadonlyMap<string, Value>,
  pointer: string,
  parent: Resource,
): Resource {
  const named = schema.get('$schema');
  let draft = typeof named === 'string' ? draftNamed(named) : parent.draft;
  let id = idOf(schema, draft);
  if (id === '' && pointer !== '') {
    draft = parent.draft;
    id = idOf(schema, draft);
  }
  if (id === '' && pointer !== '') return parent;
  if (id !== '' && checkUrl(id, false) !== undefined) throw unreadable('id', document, pointer);
  const address = id === '' ? parent.id : joinUrl(parent.id, id);
  const same = document.byId.get(address);
  if (same !== undefined) {
    throw new ValuesError(
      `duplicate id ${quote(address)} in ${quote(document.url)} at ${quote(pointer)} and ${quote(same.pointer)}`,
    );
  }
  const resource: Resource = { pointer, id: address, draft, anchors: new Map(), dynamicAnchors: new Set() };
  addResource(document, resource);
  return resource;
}

function addResource(document: SchemaDocument, resource: Resource): void {
  document.resources.set(resource.pointer, resource);
  document.byId.set(resource.id, resource);
}

function draftNamed(url: string): Draft {
  const draft = draftOf(url);
  if (draft === undefined) throw notLoaded(url.split('#', 1)[0] ?? '');
  return draft;
}

function idOf(schema: ReadonlyMap<string, Value>, draft: Draft): string {
  if (draft < 2019 && schema.has('$ref')) return '';
  const id = schema.get(draft === 4 ? 'id' : '$id');
  return typeof id === 'string' ? (id.split('#', 1)[0] ?? '') : '';
}

function collectAnchors(
  document: SchemaDocument,
  schema: ReadonlyMap<string, Value>,
  pointer: string,
  resource: Resource,
): void {
  const add = (name: Value | undefined): void => {
    if (typeof name !== 'string' || name === '') return;
    const other = resource.anchors.get(name);
    if (other !== undefined && other !== pointer) {
      throw new ValuesError(
        `duplicate anchor ${quote(name)} in ${quote(document.url)} at ${quote(other)} and ${quote(pointer)}`,
      );
    }
    resource.anchors.set(name, pointer);
  };
  if (resource.draft < 2019) {
    const id = schema.has('$ref') ? undefined : schema.get(resource.draft === 4 ? 'id' : '$id');
    const fragment = typeof id === 'string' ? (/#(.*)/s.exec(id)?.[1] ?? '') : '';
    if (/%(?![0-9a-fA-F]{2})/.test(fragment)) throw unreadable('anchor', document, pointer);
    if (!fragment.startsWith('/')) add(unescapeUrl(fragment));
    return;
  }
  add(schema.get('$anchor'));
  const dynamic = schema.get('$dynamicAnchor');
  if (resource.draft < 2020 || typeof dynamic !== 'string') return;
  add(dynamic);
  resource.dynamicAnchors.add(dynamic);
}

function unreadable(what: 'id' | 'anchor', document: SchemaDocument, pointer: string): ValuesError {
  return new ValuesError(`error in parsing ${what} at ${quote(`${document.url}#${encodePointer(pointer)}`)}`);
}

/** Resolves a URL reference against a base. */
export function joinUrl(base: string, reference: string): string {
  if (reference === '') return base;
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(reference)) return reference;
  return URL.parse(reference, base)?.href ?? reference;
}

/** Reasons for refusing to load a schema that Helm would load, by URL scheme. */
const refusals = new Map(
  Object.entries({
    http: 'schemas are not downloaded from other hosts',
    https: 'schemas are not downloaded from other hosts',
    file: 'schemas are not read from files outside the chart',
  }),
);

/** Returns the error for a schema in another location: only schemas in the chart are read. */
export function notLoaded(url: string): ValuesError {
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(url)?.[1]?.toLowerCase() ?? '';
  const reason = refusals.get(scheme);
  if (reason === undefined)
    return new ValuesError(`failing loading ${quote(url)}: no URLLoader registered for ${quote(url)}`);
  return new ValuesError(`failing loading ${quote(url)}: ${reason}; include it in values.schema.json under $defs`);
}

/** Returns the pointer of a fragment in a resource. Throws {@link ValuesError}. */
export function resolveFragment(document: SchemaDocument, resource: Resource, fragment: string): string {
  const decoded = unescapeUrl(fragment);
  if (decoded === '' || decoded.startsWith('/')) {
    return resource.pointer + decoded;
  }
  const pointer = resource.anchors.get(decoded);
  if (pointer === undefined) {
    throw new ValuesError(`anchor in ${quote(`${resource.id}#${decoded}`)} not found in schema ${quote(document.url)}`);
  }
  return pointer;
}
