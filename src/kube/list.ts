import { apiPath } from '../objects/api-path.ts';
import type { ObjectQuery } from '../objects/cluster.ts';
import type { KubeObject, ResourceKind } from '../objects/object.ts';
import { isKubeError } from './kube-error.ts';
import type { Transport } from './transport.ts';

/** All objects of a query, and the version of the collection from which to start a watch. */
export interface ListedObjects {
  objects: KubeObject[];
  resourceVersion: string;
}

interface ListDocument {
  metadata: { resourceVersion: string; continue?: string };
  items: KubeObject[] | null;
}

const defaultPageSize = 500;

/**
 * Reads a collection page by page. Starts again without pages if the server no longer has the
 * version that the first page was read from.
 */
export async function listObjects(
  transport: Transport,
  kind: ResourceKind,
  query: ObjectQuery,
  signal?: AbortSignal,
  pageSize = defaultPageSize,
): Promise<ListedObjects> {
  try {
    return await listPages(transport, kind, query, signal, pageSize);
  } catch (error) {
    if (!isKubeError(error, 'gone')) throw error;
    return listPages(transport, kind, query, signal);
  }
}

async function listPages(
  transport: Transport,
  kind: ResourceKind,
  query: ObjectQuery,
  signal: AbortSignal | undefined,
  pageSize?: number,
): Promise<ListedObjects> {
  const objects: KubeObject[] = [];
  let next: string | undefined;
  for (;;) {
    const document = await transport.json({
      method: 'GET',
      path: apiPath(kind, { namespace: query.namespace }),
      query: {
        labelSelector: query.labelSelector,
        fieldSelector: query.fieldSelector,
        limit: pageSize?.toString(),
        continue: next,
      },
      signal,
    });
    const page = document as ListDocument; // defined by the API
    for (const item of page.items ?? []) objects.push({ ...item, apiVersion: kind.apiVersion, kind: kind.kind });
    next = page.metadata.continue;
    if (!next) return { objects, resourceVersion: page.metadata.resourceVersion };
  }
}
