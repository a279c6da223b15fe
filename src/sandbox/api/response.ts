import type { ServerResponse } from 'node:http';
import { statusObject, type ApiError } from '../api-error.ts';

/** What a handler answers: a body at once, or a stream that it writes itself. */
export type ApiResponse =
  | { status: number; body: unknown; contentType?: string }
  | { status: number; text: string }
  | { stream: (response: ServerResponse) => Promise<void> };

export function ok(body: unknown): ApiResponse {
  return { status: 200, body };
}

export async function send(response: ServerResponse, answer: ApiResponse): Promise<void> {
  if ('stream' in answer) {
    await answer.stream(response);
    return;
  }
  if ('text' in answer) {
    response.writeHead(answer.status, { 'content-type': 'text/plain' });
    response.end(answer.text);
    return;
  }
  response.writeHead(answer.status, { 'content-type': answer.contentType ?? 'application/json' });
  response.end(`${JSON.stringify(answer.body)}\n`);
}

export function sendError(response: ServerResponse, error: ApiError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(error.status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(statusObject(error))}\n`);
}
