import { Buffer } from 'node:buffer';
import type { Dispatcher } from 'undici';
import { createGrowingMemory } from '../../chart/load/growing-memory.ts';
import { fromBytes } from '../../go/text.ts';
import { downloadKey, type KeptDownloads } from '../disk/kept-downloads.ts';
import { defaultDownloadSettings } from '../download-settings.ts';
import { SourceError } from '../source-error.ts';
import { smallDownloadBytes, type WaitForTurn } from '../wait-for-turn.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import { type RequestAttempt, requestFailure, statusFailure } from './http-failure.ts';
import { parseHttpUrl, shownUrl } from './http-url.ts';
import { isRedirect, maxRedirects, redirected, tooManyRedirects } from './redirect.ts';
import { refusalOf } from './refusal.ts';
import { requestFrom } from './url-request.ts';

/** `timeoutMs` is the time limit of the whole download, redirects included. */
export interface DownloadOptions extends RequestAttempt {
  readonly maxBytes: number;
  readonly dispatcher?: Dispatcher | undefined;
  readonly accept?: string;
  /** Called when the download turns out to be large, before the rest is read. Default: no call. */
  readonly waitForTurn?: WaitForTurn | undefined;
  /**
   * Downloads of before: the server is asked whether they have changed (`If-None-Match`). Default:
   * none.
   */
  readonly kept?: KeptDownloads | undefined;
}

/**
 * Downloads a file by GET and follows up to nine redirects. A POST of a form is not redirected.
 * Credentials are sent only to the first scheme, host and port. Every status other than 200 is a
 * failure, as in Helm. Throws {@link SourceError}, or the signal's reason.
 */
export async function download(endpoint: Endpoint, options: DownloadOptions, signal: AbortSignal): Promise<Buffer> {
  return (await downloadPage(endpoint, options, signal)).body;
}

/** A downloaded file, and the `Link` header that leads to the next one. */
interface Page {
  readonly body: Buffer;
  /** Empty if there is none. */
  readonly link: string;
}

/** Like {@link download}, for one page of several. */
export async function downloadPage(endpoint: Endpoint, options: DownloadOptions, signal: AbortSignal): Promise<Page> {
  signal.throwIfAborted();
  const deadline = new AbortController();
  const timer = setTimeout(() => {
    deadline.abort();
  }, options.timeoutMs);
  try {
    return await follow(endpoint, options, AbortSignal.any([signal, deadline.signal]));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceError) throw error;
    throw requestFailure(error, endpoint.url, options, deadline.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
}

async function follow(first: Endpoint, options: DownloadOptions, signal: AbortSignal): Promise<Page> {
  let endpoint = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const key = downloadKey(endpoint);
    const known = options.kept?.find(key);
    const response = await get(endpoint, options, signal, known?.etag);
    if (response.statusCode === 200) return receive(response, endpoint, options, signal);
    if (response.statusCode === 304 && known) {
      discard(response);
      if (known.bytes > options.maxBytes) throw tooLarge(endpoint.url, options); // kept with another limit
      const body = await options.kept?.read(key, known, signal);
      if (body) return { body, link: known.link ?? '' };
      continue; // another file has taken its place meanwhile: the server is not asked about it again
    }
    const { location } = response.headers;
    const isFollowed = isRedirect(response.statusCode) && options.form === undefined;
    if (!isFollowed || typeof location !== 'string') {
      const line = `${response.statusCode} ${response.statusText}`.trim();
      throw statusFailure(line, endpoint, options, await refusalOf(response.body));
    }
    discard(response);
    endpoint = redirected(endpoint, location);
  }
  throw tooManyRedirects(`could not download ${options.what}`, first);
}

/** Returns the file of a response, and keeps it if it can be asked for again. */
async function receive(
  response: Dispatcher.ResponseData,
  endpoint: Endpoint,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<Page> {
  const { headers } = response;
  const body = await readBody(response, endpoint.url, options, signal);
  const link = [headers['link'] ?? []].flat().join(', ');
  const { etag } = headers;
  if (typeof etag === 'string') await options.kept?.keep(downloadKey(endpoint), body, { etag, link });
  return { body, link };
}

function get(
  endpoint: Endpoint,
  options: DownloadOptions,
  signal: AbortSignal,
  etag: string | undefined,
): Promise<Dispatcher.ResponseData> {
  const { form } = options;
  return requestFrom(endpoint.url, {
    ...(form !== undefined && { method: 'POST', body: form.toString() }),
    headers: {
      'user-agent': 'helm-agent',
      ...(options.accept !== undefined && { accept: options.accept }),
      ...(endpoint.authorization !== undefined && { authorization: endpoint.authorization }),
      ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(etag !== undefined && { 'if-none-match': etag }),
    },
    signal,
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    dispatcher: options.dispatcher,
  });
}

async function readBody(
  response: Dispatcher.ResponseData,
  url: URL,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<Buffer> {
  if (Number(response.headers['content-length']) > options.maxBytes) {
    discard(response);
    throw tooLarge(url, options);
  }
  const body = new BodyCollector(options.maxBytes);
  let isSmall = true;
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    if (!body.add(chunk)) throw tooLarge(url, options);
    if (isSmall && body.length > smallDownloadBytes) {
      isSmall = false;
      await options.waitForTurn?.(signal);
    }
  }
  return body.bytes();
}

function tooLarge(url: URL, { what, maxBytes }: DownloadOptions): SourceError {
  return new SourceError('too_large', `${what} at ${shownUrl(url)} is larger than the limit of ${maxBytes} bytes`);
}

/** Ends a response without reading its body. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined); // only reports the destruction
  body.destroy();
}

/** Collects the chunks of a body of at most `maxBytes` in memory that threads share. */
class BodyCollector {
  readonly #memory;
  readonly #maxBytes: number;
  /** Number of bytes so far. */
  length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#memory = createGrowingMemory(maxBytes);
  }

  /** Adds a chunk. Returns false if the body is too long. */
  add(chunk: Uint8Array): boolean {
    this.length += chunk.length;
    if (this.length > this.#maxBytes) return false;
    this.#memory.take(chunk.length).set(chunk);
    return true;
  }

  /** Returns the whole body. */
  bytes(): Buffer {
    const { buffer, byteOffset, byteLength } = this.#memory.all();
    return Buffer.from(buffer, byteOffset, byteLength);
  }
}

/**
 * Downloads a text of at most 64 MiB. `what` names it in errors. Throws {@link SourceError}, or the
 * signal's reason.
 */
export async function fetchText(address: string, what: string, signal: AbortSignal): Promise<string> {
  const { timeoutMs, maxIndexBytes: maxBytes } = defaultDownloadSettings;
  const endpoint = endpointOf(parseHttpUrl(address, `the URL of ${what}`));
  return fromBytes(await download(endpoint, { what, maxBytes, timeoutMs }, signal));
}
