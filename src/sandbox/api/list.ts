import type { KubeObject } from '../../objects/object.ts';
import { badRequest, expired } from '../api-error.ts';
import { apiVersionOf, type ResourceType } from '../store/resource-type.ts';
import type { Store } from '../store/store.ts';
import { selectedObjects, type Selection } from './selection.ts';

const metadataVersion = 'meta.k8s.io/v1';

interface ContinueToken {
  /** Revision of the first page. */
  revision: number;
  /** `namespace/name` of the last object on the page before. */
  after: string;
}

/**
 * Returns the list document for a GET of a collection, or one page of it. Throws a 410 if the
 * continue token is too old.
 */
export function listDocument(
  store: Store,
  type: ResourceType,
  selection: Selection,
  query: URLSearchParams,
  accept = '',
): unknown {
  checkResourceVersion(query.get('resourceVersion') ?? '');
  const token = readToken(query.get('continue'));
  if (token && token.revision < store.oldest()) {
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
    );
  }
  const limit = Number(query.get('limit') ?? 0);
  const rest = selectedObjects(store, type, selection).filter((object) => !token || keyOf(object) > token.after);
  const page = limit > 0 ? rest.slice(0, limit) : rest;
  const revision = token?.revision ?? store.revision();
  const last = page.at(-1);
  const more = last !== undefined && page.length < rest.length;
  const metadataOnly = accept.includes('as=PartialObjectMetadataList');
  return {
    kind: metadataOnly ? 'PartialObjectMetadataList' : `${type.kind}List`,
    apiVersion: metadataOnly ? metadataVersion : apiVersionOf(type),
    metadata: {
      resourceVersion: String(revision),
      ...(more && {
        continue: writeToken({ revision, after: keyOf(last) }),
        remainingItemCount: rest.length - page.length,
      }),
    },
    items: page.map((object) => (metadataOnly ? metadataOf(object) : itemOf(type, object))),
  };
}

function checkResourceVersion(text: string): void {
  if (/^\d*$/.test(text)) return;
  throw badRequest(`invalid resource version: ${resourceVersionProblem(text)}`);
}

/** Returns the message for a resourceVersion that is not a number. */
export function resourceVersionProblem(text: string): string {
  const quoted = JSON.stringify(text);
  return `resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: invalid syntax`;
}

/**
 * Returns an object as a list item. Items of built-in kinds do not repeat the apiVersion and kind
 * of the list.
 */
function itemOf(type: ResourceType, object: KubeObject): unknown {
  if (type.custom) return { ...object, apiVersion: apiVersionOf(type) };
  return Object.fromEntries(Object.entries(object).filter(([field]) => field !== 'apiVersion' && field !== 'kind'));
}

function metadataOf({ metadata }: KubeObject): unknown {
  return { kind: 'PartialObjectMetadata', apiVersion: metadataVersion, metadata };
}

function keyOf(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

function writeToken(token: ContinueToken): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

function readToken(text: string | null): ContinueToken | undefined {
  if (text === null || text === '') return undefined;
  try {
    // Written by writeToken.
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as ContinueToken;
  } catch {
    throw badRequest('invalid continue token: continue key is not valid');
  }
}
