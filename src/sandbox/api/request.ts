import type { IncomingMessage } from 'node:http';
import { ApiError } from '../api-error.ts';

/** The parts of an API URL. */
export interface ResourcePath {
  group: string;
  version: string;
  plural: string;
  /** Absent for cluster-scoped kinds and for a collection across all namespaces. */
  namespace?: string;
  name?: string;
  subresource?: string;
}

/** A request to the API, with its body. */
export interface ApiRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  accept: string;
  contentType: string;
  body: string;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

/** Size limit of a request body, like the API server's. */
const maxBodyBytes = 3 * 1024 * 1024;

/** Reads a request. Throws a 413 if its body is too large. */
export async function readRequest(message: IncomingMessage, signal: AbortSignal): Promise<ApiRequest> {
  const url = new URL(message.url ?? '/', 'https://sandbox');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    const bytes = chunk as Buffer; // no encoding is set on the message
    size += bytes.length;
    if (size > maxBodyBytes) throw tooLarge();
    chunks.push(bytes);
  }
  return {
    method: message.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    accept: message.headers.accept ?? '',
    contentType: (message.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '',
    body: Buffer.concat(chunks).toString('utf8'),
    signal,
  };
}

function tooLarge(): ApiError {
  const message = `Request entity too large: limit is ${maxBodyBytes}`;
  return new ApiError(413, 'RequestEntityTooLarge', message);
}

/** Reads `/api/v1/…` and `/apis/GROUP/VERSION/…`. Returns undefined for any other path. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const steps = path
    .split('/')
    .filter((step) => step !== '')
    .map(decodeURIComponent);
  const [root, ...rest] = steps;
  if (root === 'api') return parseRest('', rest);
  return root === 'apis' && rest[0] !== undefined ? parseRest(rest[0], rest.slice(1)) : undefined;
}

function parseRest(group: string, [version, ...steps]: string[]): ResourcePath | undefined {
  if (version === undefined || steps.length === 0) return undefined;
  const [first, namespace, plural] = steps;
  const inNamespace =
    first === 'namespaces' && plural !== undefined && !isNamespaceSubresource(group, plural, steps.length);
  const resourceSteps = inNamespace ? steps.slice(2) : steps;
  const [resource, name, subresource, ...more] = resourceSteps;
  if (resource === undefined || more.length > 0) return undefined;
  return {
    group,
    version,
    plural: resource,
    ...(inNamespace && namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(subresource !== undefined && { subresource }),
  };
}

/**
 * Whether the path is a subresource of a namespace, such as `namespaces/web/status`, not a
 * collection in it.
 */
function isNamespaceSubresource(group: string, plural: string, steps: number): boolean {
  return group === '' && steps === 3 && (plural === 'status' || plural === 'finalize');
}
