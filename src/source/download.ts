import { request, type Dispatcher } from 'undici';
import { targetOf, type Target } from './credentials.ts';
import { requestFailure, statusFailure } from './http-failure.ts';
import { refuseOtherSchemes } from './repository-url.ts';
import { shownUrl } from './shown-url.ts';
import { SourceError } from './source-error.ts';

const maxRedirects = 5;

export interface DownloadOptions {
  /** What is downloaded, for messages: `the index of the repository`. */
  readonly what: string;
  readonly maxBytes: number;
  /** For the whole download, redirects included, in milliseconds. */
  readonly timeoutMs: number;
  readonly dispatcher?: Dispatcher | undefined;
  readonly accept?: string;
}

/**
 * Downloads by GET, following a few redirects; credentials do not leave the first scheme, host and port. Only a 200 counts, as
 * in Helm. Throws {@link SourceError}, or the signal's reason.
 */
export async function download(target: Target, options: DownloadOptions, signal: AbortSignal): Promise<Buffer> {
  signal.throwIfAborted();
  const deadline = new AbortController();
  const timer = setTimeout(() => {
    deadline.abort();
  }, options.timeoutMs);
  try {
    return await follow(target, options, AbortSignal.any([signal, deadline.signal]));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceError) throw error;
    throw requestFailure(error, target.url, options, deadline.signal.aborted);
  } finally {
    clearTimeout(timer);
  }
}

async function follow(first: Target, options: DownloadOptions, signal: AbortSignal): Promise<Buffer> {
  let target = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await get(target, options, signal);
    if (response.statusCode === 200) return readBody(response, target.url, options);
    discard(response);
    const { location } = response.headers;
    if (!isRedirect(response.statusCode) || typeof location !== 'string') {
      throw statusFailure(response.statusCode, target, options.what);
    }
    target = redirected(target, location);
  }
  throw new SourceError(
    'repository_failed',
    `${options.what} is not to be had: ${shownUrl(first.url)} redirects more than ${maxRedirects} times`,
  );
}

function get(target: Target, options: DownloadOptions, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  return request(target.url, {
    headers: {
      'user-agent': 'helm-agent',
      ...(options.accept !== undefined && { accept: options.accept }),
      ...(target.authorization !== undefined && { authorization: target.authorization }),
    },
    signal,
    reset: true, // a connection left idle would outlive the download
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
    ...(options.dispatcher && { dispatcher: options.dispatcher }),
  });
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function redirected(from: Target, location: string): Target {
  if (!URL.canParse(location, from.url.href)) {
    throw new SourceError('repository_failed', `${shownUrl(from.url)} redirects to what is not a URL`);
  }
  const next = targetOf(new URL(location, from.url));
  refuseOtherSchemes(next.url, `the address that ${shownUrl(from.url)} redirects to`);
  if (next.authorization !== undefined || next.url.origin !== from.url.origin) return next;
  return { url: next.url, authorization: from.authorization };
}

async function readBody(response: Dispatcher.ResponseData, url: URL, options: DownloadOptions): Promise<Buffer> {
  if (Number(response.headers['content-length']) > options.maxBytes) {
    discard(response);
    throw tooLarge(url, options);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > options.maxBytes) throw tooLarge(url, options);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

function tooLarge(url: URL, { what, maxBytes }: DownloadOptions): SourceError {
  return new SourceError('too_large', `${what} at ${shownUrl(url)} is larger than the limit of ${maxBytes} bytes`);
}

/** Ends a response whose body is of no interest. */
function discard({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined); // says only that it was ended
  body.destroy();
}
