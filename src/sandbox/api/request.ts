import type { IncomingMessage } from 'node:http';
import { ApiError, unsupportedMediaType } from '../api-error.ts';

/** A request to the API, with its body. */
export interface ApiRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  accept: string;
  contentType: string;
  body: string;
  userAgent: string;
  /** The user whom the request impersonates. Undefined for that of the token. */
  user: string | undefined;
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
    userAgent: message.headers['user-agent'] ?? '',
    user: message.headers['impersonate-user'] as string | undefined, // Node joins repeated ones
    signal,
  };
}

function tooLarge(): ApiError {
  const message = `Request entity too large: limit is ${maxBodyBytes}`;
  return new ApiError(413, 'RequestEntityTooLarge', message);
}

/**
 * Throws a 415 if the content type is not JSON. A request without a content type counts as JSON.
 */
export function requireJson(request: ApiRequest): void {
  if (request.contentType !== '' && request.contentType !== 'application/json') throw unsupportedMediaType();
}
