import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { abortable, limitedTime, readUpTo, sleep } from '../async/index.ts';
import { codeOf } from '../errors/index.ts';
import { jsonText } from '../objects/json-text.ts';
import type { Connection } from './connection.ts';
import { errorOfResponse, isKubeError, isUnserved, KubeError } from './kube-error.ts';
import type { ServerClock } from './server-clock.ts';

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
   * Whether the request may be sent twice, so that it is retried if the connection or the response
   * breaks off, or the server fails. A GET always may. Default: false.
   */
  idempotent?: boolean;
  /** Version of a document as `ETag`: the response is 304 and empty if it is still the same. */
  etag?: string | undefined;
  /**
   * Returns the milliseconds that an attempt may take; the server ends it then, too. Throws if none
   * may be sent. Default: no limit.
   */
  timeLimit?: (() => number) | undefined;
  /** Most bytes of the response: a longer one fails ({@link isTooLong}). Default: 64 MiB. */
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
 * Sends requests to one API server. Retries a few times if the server asks for it or rejects the
 * credentials, and what may be sent twice also if the server fails or the connection breaks.
 */
export interface Transport {
  json(request: KubeRequest): Promise<unknown>;
  /** Returns a document with its version, or `unchanged` if it has the version of the request. */
  versioned(request: KubeRequest): Promise<VersionedDocument | 'unchanged'>;
  text(request: KubeRequest): Promise<string>;
  /** Returns the body as a stream, without a time limit. */
  stream(request: KubeRequest): Promise<AsyncIterable<Uint8Array>>;
}

class ResponseTooLongError extends KubeError {}

/** Whether a request failed because its response is longer than `maxBytes`. */
export function isTooLong(error: unknown): boolean {
  return error instanceof ResponseTooLongError;
}

/**
 * Milliseconds before each retry, of which half or more is waited for. If the server sends
 * `Retry-After`, that time is waited for, and up to half of it more.
 */
export type RetryDelays = readonly number[];

interface RetryOptions {
  /** Retries once for each entry. Only tests change it. */
  delays?: RetryDelays | undefined;
  /** Returns numbers from 0 up to 1. Default: all delays have their middle length. */
  random?: (() => number) | undefined;
}

interface TransportOptions extends RetryOptions {
  /** Gets the times of all responses. Default: none. */
  clock?: ServerClock;
  /**
   * Whether requests that cannot be sent are not retried until the server has responded once.
   * Default: false.
   */
  failsUnreached?: boolean | undefined;
  /** Called for each request that is sent, with the HTTP status if there was a response. */
  onAttempt?: OnAttempt | undefined;
}

export type OnAttempt = (method: KubeRequest['method'], status: number | undefined) => void;

const defaultRetryDelays: RetryDelays = [100, 250, 500, 1000, 1000, 2000, 2000];
const maxRetryAfter = 30_000;

/** Number of retries of a request whose credentials the server rejects. */
const unauthorizedRetries = 2;

/** Objects have a few MiB, lists are read in pages, and documents about kinds have some MiB. */
const defaultMaxBytes = 64 * 1024 * 1024;

/** Most bytes of a refusal. Of a longer one, only the status is used. */
const maxRefusalBytes = 1024 * 1024;

/** HTTP status of a document that has not changed. */
const notModified = 304;

export function createTransport(connection: Connection, options: TransportOptions = {}): Transport {
  const { clock, failsUnreached = false, onAttempt, ...retries } = options;
  const server = { isReached: !failsUnreached };
  const read = <T>(
    request: KubeRequest,
    receive: (response: Dispatcher.ResponseData) => Promise<T>,
    longLived = false,
  ): Promise<T> => sendWithRetries({ connection, request, retries, server, clock, onAttempt, longLived, receive });
  return {
    json: (request) => read(request, async (response) => parseJson(await readText(response, request), request)),
    versioned: (request) =>
      read(request, async (response) => {
        const text = await readText(response, request);
        if (response.statusCode === notModified) return 'unchanged';
        const { etag } = response.headers;
        return { document: parseJson(text, request), etag: typeof etag === 'string' ? etag : undefined };
      }),
    text: (request) => read(request, (response) => readText(response, request)),
    stream: (request) => read(request, ({ body }) => Promise.resolve(body), true),
  };
}

function parseJson(text: string, { method, path }: KubeRequest): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new KubeError('server_error', `the response to ${method} ${path} is not JSON`, { cause });
  }
}

type Outcome<Success> = Success | { error: KubeError; retry: boolean; retryAfter?: number | undefined };

interface Exchange<T> {
  connection: Connection;
  request: KubeRequest;
  retries: RetryOptions;
  /** Whether the server has responded, or is tried again as if it had. */
  server: { isReached: boolean };
  clock: ServerClock | undefined;
  onAttempt: OnAttempt | undefined;
  longLived: boolean;
  /** Reads the response. It fails with a `KubeError` if the response breaks off or is not JSON. */
  receive: (response: Dispatcher.ResponseData) => Promise<T>;
}

async function sendWithRetries<T>(exchange: Exchange<T>): Promise<T> {
  const { request, retries } = exchange;
  const { delays = defaultRetryDelays, random = () => 0.5 } = retries;
  let rejections = 0;
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptOnce(exchange);
    if ('result' in outcome) return outcome.result;
    const delay = delays[attempt];
    // a certificate or a token may have been replaced just now
    const isRejected = outcome.error.code === 'unauthorized' && ++rejections <= unauthorizedRetries;
    if (delay === undefined || !(outcome.retry || isRejected)) throw outcome.error;
    const { retryAfter } = outcome;
    await sleep(
      retryAfter === undefined ? delay * (0.5 + random() / 2) : retryAfter * (1 + random() / 2),
      request.signal,
    );
  }
}

async function attemptOnce<T>(exchange: Exchange<T>): Promise<Outcome<{ result: T }>> {
  const { request, receive } = exchange;
  const outcome = await sendOnce(exchange);
  if ('error' in outcome) return outcome;
  try {
    return { result: await receive(outcome.response) };
  } catch (error) {
    if (isTooLong(error) || !isKubeError(error, 'unreachable', 'server_error')) throw error;
    return { error, retry: isIdempotent(request) };
  }
}

async function sendOnce<T>({
  connection,
  request,
  server,
  clock,
  onAttempt,
  longLived,
}: Exchange<T>): Promise<Outcome<{ response: Dispatcher.ResponseData }>> {
  const { signal } = request;
  signal?.throwIfAborted();
  const prepared = connection.prepare();
  const { dispatcher, headers, onRejected } = await abortable(prepared, signal);
  const timeLimit = request.timeLimit?.();
  const time = limitedTime(timeLimit, request.signal);
  const sent = performance.now();
  let response: Dispatcher.ResponseData;
  try {
    const responded = dispatcher.request({
      ...requestUrl(connection.server, withTimeout(request, timeLimit)),
      method: request.method,
      headers: { ...headers, ...contentHeaders(request) },
      ...(request.body !== undefined && { body: jsonText(request.body) }),
      reset: false, // undici would close the connection after a DELETE with a body
      ...(longLived && { bodyTimeout: 0 }),
      signal: time.signal,
    });
    // undici heeds the signal only when there is a connection, for which a proxy may take long
    response = await abortable(responded, time.signal);
    response.body.once('close', () => time.end());
  } catch (error) {
    time.end();
    onAttempt?.(request.method, undefined);
    request.signal?.throwIfAborted();
    if (time.isOver()) return { error: tooSlow(connection.server, timeLimit, error), retry: isIdempotent(request) };
    const canRetry = wasNotSent(error) ? server.isReached : isIdempotent(request);
    return { error: unreachable(connection.server, error), retry: canRetry };
  }
  server.isReached = true;
  onAttempt?.(request.method, response.statusCode);
  clock?.note(response.headers['date'], sent, performance.now());
  for (const text of warningsOf(response.headers['warning'])) request.onWarning?.(text);
  const isUnchanged = response.statusCode === notModified && request.etag !== undefined;
  if (response.statusCode < 300 || isUnchanged) return { response };
  const text = await readText(response, { ...request, maxBytes: maxRefusalBytes }).catch((error: unknown) => {
    if (!isTooLong(error) && !isKubeError(error, 'unreachable')) throw error;
    return ''; // the status says enough
  });
  const error = errorOfResponse(response.statusCode, text, request.path);
  if (error.code === 'unauthorized') onRejected?.();
  const retryAfter = retryAfterOf(response);
  return {
    error,
    retry:
      error.code === 'too_many_requests' ||
      (error.status === 503 && retryAfter !== undefined) ||
      (error.code === 'server_error' && !isUnserved(error) && isIdempotent(request)) ||
      error.code === 'quota_conflict',
    retryAfter,
  };
}

/** Adds the time limit in the form of the API: the server ends the request when it is over. */
function withTimeout(request: KubeRequest, timeLimit: number | undefined): KubeRequest {
  if (timeLimit === undefined) return request;
  return { ...request, query: { ...request.query, timeout: `${Math.max(1, Math.floor(timeLimit))}ms` } };
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
  const { method, path, maxBytes = defaultMaxBytes } = request;
  try {
    const { content, isWhole } = await readUpTo(response.body, maxBytes);
    if (!isWhole) {
      const message = `the response to ${method} ${path} has more than ${maxBytes} bytes`;
      throw new ResponseTooLongError('server_error', message);
    }
    // undici frees the connection only now; the next request would open another one
    await nextTurn();
    return content.toString();
  } catch (error) {
    request.signal?.throwIfAborted();
    if (isTooLong(error)) throw error;
    throw new KubeError('unreachable', `the response to ${method} ${path} is incomplete: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

function isIdempotent(request: KubeRequest): boolean {
  return request.method === 'GET' || request.idempotent === true;
}

/** Whether nothing of the request was sent, so that any request may be sent again. */
function wasNotSent(error: unknown): boolean {
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(codeOf(error) ?? '');
}

function unreachable(server: string, error: unknown): KubeError {
  if (isKubeError(error)) return error;
  return new KubeError('unreachable', `cannot reach the API server at ${server}: ${reasonOf(error)}`, { cause: error });
}

function tooSlow(server: string, timeLimit: number | undefined, cause: unknown): KubeError {
  const seconds = ((timeLimit ?? 0) / 1000).toFixed(1);
  return new KubeError('unreachable', `the API server at ${server} did not respond within ${seconds} s`, { cause });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' ? (codeOf(error) ?? '') : error.message;
}

/** Returns `Retry-After` in milliseconds. Kubernetes always sends seconds, never a date. */
function retryAfterOf(response: Dispatcher.ResponseData): number | undefined {
  const header = response.headers['retry-after'];
  const seconds = Number(header);
  return typeof header === 'string' && seconds >= 0 ? Math.min(seconds * 1000, maxRetryAfter) : undefined;
}

/** One entry of a `Warning` header: code, agent, and text in quotes (RFC 7234). */
const entry = /\d{3} \S+ "((?:[^"\\]|\\.)*)"/g;

/** Returns the texts of `Warning` headers. */
function warningsOf(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  return [header]
    .flat()
    .flatMap((text) => [...text.matchAll(entry)].map((match) => (match[1] ?? '').replaceAll(/\\(.)/g, '$1')));
}
