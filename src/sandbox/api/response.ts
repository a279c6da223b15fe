import type { ServerResponse } from 'node:http';
import { type ApiError, statusObject } from '../api-error.ts';

/** A response: a JSON body, a text, or a stream that writes the response itself. */
export type ApiResponse =
  | { status: number; body: unknown; contentType?: string }
  | { status: number; text: string }
  | { stream: (response: ServerResponse) => Promise<void> };

export function ok(body: unknown): ApiResponse {
  return { status: 200, body };
}

export async function send(response: ServerResponse, apiResponse: ApiResponse): Promise<void> {
  if ('stream' in apiResponse) {
    await apiResponse.stream(response);
    return;
  }
  if ('text' in apiResponse) {
    response.writeHead(apiResponse.status, { 'content-type': 'text/plain' });
    response.end(apiResponse.text);
    return;
  }
  response.writeHead(apiResponse.status, { 'content-type': apiResponse.contentType ?? 'application/json' });
  response.end(`${JSON.stringify(apiResponse.body)}\n`);
}

export function sendError(response: ServerResponse, error: ApiError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(error.status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(statusObject(error))}\n`);
}
