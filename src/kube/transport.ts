import type { Dispatcher } from 'undici';
import type { Connection } from './connection.ts';
import { jsonText } from './json-text.ts';
import { errorOfResponse, isKubeError, KubeError } from './kube-error.ts';
import { pause } from './pause.ts';
import { warningsOf } from './warnings.ts';

export interface KubeRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the server's URL, with a leading slash. */
  path: string;
  query?: Record<string, string | undefined>;
  /** Sent as JSON. */
  body?: unknown;
  /** Default: `application/json`. */
  contentType?: string;
  accept?: string;
  /**
   * Whether the request may be sent twice, so that it is retried after a broken connection. A GET
   * always may. Default: false.
   */
  idempotent?: boolean;
  /** Version of a document as `ETag`: the response is 304 and empty if it is still the same. */
  etag?: string | undefined;
  /** Most bytes of the response: a longer one fails ({@link isTooLong}). Default: no limit. */
  maxBytes?: number | undefined;
  /** Called for each warning of the server. */
  onWarning?: ((text: string) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** A JSON document, with its version if the server gives it one. */
interface VersionedDocument {
  document: unknown;
  etag: string | undefined;
}

/**
 * Sends requests to one API server. Retries a few times if the server asks for it or if the
 * connection breaks.
 */
export interface Transport {
  json(request: KubeRequest): Promise<unknown>;
  /** Returns a document with its version, or `unchanged` if it has the version of the request. */
  versioned(request: KubeRequest): Promise<VersionedDocument | 'unchanged'>;
  text(request: KubeRequest): Promise<string>;
  /** Returns the body as a stream, without a time limit. */
  stream(request: KubeRequest): Promise<AsyncIterable<Uint8Array>>;
}

class ResponseTooLongError extends Error {
  override readonly name = 'ResponseTooLongError';
}

/** Whether a request failed because its response is longer than `maxBytes`. */
export function isTooLong(error: unknown): boolean {
  return error instanceof ResponseTooLongError;
}

/** Milliseconds before each retry, unless the server sends `Retry-After`. */
export type RetryDelays = readonly number[];

const defaultRetryDelays: RetryDelays = [250, 500, 1000, 2000];
const maxRetryAfter = 30_000;
/** HTTP status of a document that has not changed. */
const notModified = 304;

/** Retries once for each entry of `retryDelays`, which only tests change. */
export function createTransport(connection: Connection, retryDelays: RetryDelays = defaultRetryDelays): Transport {
  const send = (request: KubeRequest, longLived = false): Promise<Dispatcher.ResponseData> =>
    sendWithRetries(connection, request, retryDelays, longLived);
  return {
    async json(request) {
      return parseJson(await readText(await send(request), request), request);
    },
    async versioned(request) {
      const response = await send(request);
      const text = await readText(response, request);
      if (response.statusCode === notModified) return 'unchanged';
      const { etag } = response.headers;
      return { document: parseJson(text, request), etag: typeof etag === 'string' ? etag : undefined };
    },
    async text(request) {
      return readText(await send(request), request);
    },
    async stream(request) {
      return (await send(request, true)).body;
    },
  };
}

function parseJson(text: string, { method, path }: KubeRequest): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new KubeError('server_error', `the response to ${method} ${path} is not JSON`, { cause });
  }
}

async function sendWithRetries(
  connection: Connection,
  request: KubeRequest,
  delays: RetryDelays,
  longLived: boolean,
): Promise<Dispatcher.ResponseData> {
  for (let attempt = 0; ; attempt++) {
    const failure = await sendOnce(connection, request, longLived);
    if (!('error' in failure)) return failure.response;
    const delay = delays[attempt];
    if (delay === undefined || !failure.retry) throw failure.error;
    await pause(failure.retryAfter ?? delay, request.signal);
  }
}

type Outcome =
  { response: Dispatcher.ResponseData } | { error: KubeError; retry: boolean; retryAfter?: number | undefined };

async function sendOnce(connection: Connection, request: KubeRequest, longLived: boolean): Promise<Outcome> {
  const { dispatcher, headers } = await connection.prepare();
  request.signal?.throwIfAborted();
  let response: Dispatcher.ResponseData;
  try {
    response = await dispatcher.request({
      ...requestUrl(connection.server, request),
      method: request.method,
      headers: { ...headers, ...contentHeaders(request) },
      ...(request.body !== undefined && { body: jsonText(request.body) }),
      ...(longLived && { bodyTimeout: 0 }),
      signal: request.signal ?? null,
    });
  } catch (error) {
    request.signal?.throwIfAborted();
    return { error: unreachable(connection.server, error), retry: wasNotSent(error) || isIdempotent(request) };
  }
  for (const text of warningsOf(response.headers['warning'])) request.onWarning?.(text);
  const isUnchanged = response.statusCode === notModified && request.etag !== undefined;
  if (response.statusCode < 300 || isUnchanged) return { response };
  const error = errorOfResponse(response.statusCode, await readText(response, request), request.path);
  const retryAfter = retryAfterOf(response);
  return {
    error,
    retry:
      error.code === 'too_many_requests' ||
      (error.status === 503 && retryAfter !== undefined) ||
      error.code === 'quota_conflict',
    retryAfter,
  };
}

function requestUrl(server: string, request: KubeRequest): { origin: string; path: string } {
  const url = new URL(server + request.path);
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return { origin: url.origin, path: url.pathname + url.search };
}

function contentHeaders(request: KubeRequest): Record<string, string> {
  return {
    accept: request.accept ?? 'application/json',
    'user-agent': 'helm-agent',
    ...(request.etag !== undefined && { 'if-none-match': request.etag }),
    ...(request.body !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
  };
}

async function readText(response: Dispatcher.ResponseData, request: KubeRequest): Promise<string> {
  const { maxBytes = Infinity } = request;
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new ResponseTooLongError(`the response has more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  } catch (error) {
    request.signal?.throwIfAborted();
    if (isTooLong(error)) throw error;
    throw new KubeError(
      'unreachable',
      `the response to ${request.method} ${request.path} is incomplete: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

function isIdempotent(request: KubeRequest): boolean {
  return request.method === 'GET' || request.idempotent === true;
}

/** Whether nothing of the request was sent, so that any request may be sent again. */
function wasNotSent(error: unknown): boolean {
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(codeOf(error));
}

function unreachable(server: string, error: unknown): KubeError {
  if (isKubeError(error)) return error;
  return new KubeError('unreachable', `cannot reach the API server at ${server}: ${reasonOf(error)}`, { cause: error });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' ? codeOf(error) : error.message;
}

/** Returns `Retry-After` in milliseconds. Kubernetes always sends seconds, never a date. */
function retryAfterOf(response: Dispatcher.ResponseData): number | undefined {
  const header = response.headers['retry-after'];
  const seconds = Number(header);
  return typeof header === 'string' && seconds >= 0 ? Math.min(seconds * 1000, maxRetryAfter) : undefined;
}
