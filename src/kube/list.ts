import { apiPath } from '../objects/api-path.ts';
import type { ListQuery, ObjectPage, PageQuery } from '../objects/cluster.ts';
import { isJsonObject } from '../objects/fields.ts';
import type { KubeObject, ResourceKind } from '../objects/object.ts';
import { isKubeError, KubeError } from './kube-error.ts';
import { isTooLong, type KubeRequest, type Transport } from './transport.ts';

/** All objects of a query, and the version of the collection from which to start a watch. */
export interface ListedObjects {
  objects: KubeObject[];
  resourceVersion: string;
}

interface ListDocument {
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: KubeObject[] | null;
}

/**
 * Number of objects in a page, and most bytes of a page with more than one object. A page is parsed
 * at once, so it must be small enough not to stall the event loop.
 */
const pageSize = { objects: 500, bytes: 4 * 1024 * 1024 };

/** Most bytes of a page that is an answer. */
const maxAnswerPageBytes = 2 * 1024 * 1024;

/** Asks for the metadata of objects. A server that cannot do that sends whole objects. */
const metadataType = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/**
 * Reads a collection page by page. Starts again if the server no longer has the version that the
 * first page was read from.
 */
export async function listObjects(
  transport: Transport,
  kind: ResourceKind,
  query: ListQuery,
  signal?: AbortSignal,
): Promise<ListedObjects> {
  try {
    return await listPages(transport, kind, query, signal);
  } catch (error) {
    if (!isKubeError(error, 'gone')) throw error;
    return listPages(transport, kind, query, signal);
  }
}

/** Reads pages, with fewer objects once a page has too many bytes. */
async function listPages(
  transport: Transport,
  kind: ResourceKind,
  query: ListQuery,
  signal: AbortSignal | undefined,
): Promise<ListedObjects> {
  const objects: KubeObject[] = [];
  const { most = Infinity } = query;
  let limit = Math.min(pageSize.objects, most);
  let next: string | undefined;
  for (;;) {
    const page = await readPage(transport, {
      ...pageRequest(kind, query, limit, next),
      maxBytes: limit > 1 ? pageSize.bytes : undefined,
      signal,
    });
    if (page === 'too long') {
      limit = Math.ceil(limit / 10);
      continue;
    }
    for (const item of page.items ?? []) objects.push({ ...item, apiVersion: kind.apiVersion, kind: kind.kind });
    next = page.metadata.continue;
    if (!next || objects.length >= most) return { objects, resourceVersion: page.metadata.resourceVersion };
  }
}

/**
 * Reads one page, with fewer objects if they have too many bytes. Throws `server_error` if a single
 * one has.
 */
export async function listPage(
  transport: Transport,
  kind: ResourceKind,
  query: PageQuery,
  signal?: AbortSignal,
): Promise<ObjectPage> {
  for (let limit = query.limit; ; limit = Math.ceil(limit / 10)) {
    const request = { ...pageRequest(kind, query, limit, query.after), maxBytes: maxAnswerPageBytes, signal };
    const page = await readPage(transport, request);
    if (page === 'too long') {
      if (limit > 1) continue;
      throw new KubeError('server_error', `an object of kind ${kind.kind} has more than ${maxAnswerPageBytes} bytes`);
    }
    const { continue: next, remainingItemCount: remaining } = page.metadata;
    return {
      objects: (page.items ?? []).map((item) => ({ ...item, apiVersion: kind.apiVersion, kind: kind.kind })),
      ...(next !== undefined && next !== '' && { next }),
      ...(remaining !== undefined && { remaining }),
    };
  }
}

async function readPage(transport: Transport, request: KubeRequest): Promise<ListDocument | 'too long'> {
  try {
    const document = await transport.json(request);
    if (!isList(document)) throw new KubeError('server_error', `the response to GET ${request.path} is not a list`);
    return document;
  } catch (error) {
    if (request.maxBytes !== undefined && isTooLong(error)) return 'too long';
    throw error;
  }
}

function isList(document: unknown): document is ListDocument {
  const hasMetadata = (value: unknown): boolean => isJsonObject(value) && isJsonObject(value['metadata']);
  if (!isJsonObject(document) || !hasMetadata(document)) return false;
  const items = document['items'] ?? [];
  return Array.isArray(items) && items.every(hasMetadata);
}

function pageRequest(
  kind: ResourceKind,
  { namespace, labelSelector, fieldSelector, metadataOnly = false }: ListQuery,
  limit: number,
  next: string | undefined,
): KubeRequest {
  return {
    method: 'GET',
    path: apiPath(kind, { namespace }),
    query: { labelSelector, fieldSelector, limit: String(limit), continue: next },
    ...(metadataOnly && { accept: metadataType }),
  };
}
