import type { IncomingMessage } from 'node:http';
import { ApiError } from '../api-error.ts';

/** What a URL of the API names. */
export interface ResourcePath {
  group: string;
  version: string;
  plural: string;
  /** Absent for cluster-scoped kinds, and for a collection over all namespaces. */
  namespace?: string;
  name?: string;
  subresource?: string;
}

/** A request as the handlers see it. */
export interface ApiRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  accept: string;
  contentType: string;
  body: string;
  /** Aborted when the client is gone. */
  signal: AbortSignal;
}

/** As the API server: larger bodies are refused. */
const largestBody = 3 * 1024 * 1024;

export async function readRequest(message: IncomingMessage, signal: AbortSignal): Promise<ApiRequest> {
  const url = new URL(message.url ?? '/', 'https://sandbox');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    const bytes = chunk as Buffer; // no encoding is set on the message
    size += bytes.length;
    if (size > largestBody) throw tooLarge();
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
  const message = `Request entity too large: limit is ${largestBody}`;
  return new ApiError(413, 'RequestEntityTooLarge', message);
}

/** Reads `/api/v1/…` and `/apis/GROUP/VERSION/…`; undefined for a path that names no resource. */
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
    first === 'namespaces' && plural !== undefined && !isOfNamespaceItself(group, plural, steps.length);
  const target = inNamespace ? steps.slice(2) : steps;
  const [resource, name, subresource, ...more] = target;
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

/** `namespaces/web/status` is a subresource of the namespace, not a collection inside it. */
function isOfNamespaceItself(group: string, plural: string, steps: number): boolean {
  return group === '' && steps === 3 && (plural === 'status' || plural === 'finalize');
}
