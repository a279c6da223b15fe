import type { IncomingMessage, ServerResponse } from 'node:http';
import { JsonTextError, parseJson } from '../protocol/json.ts';
import { maxPacketBytes } from '../protocol/limits.ts';
import { ControlPlaneError, type ControlPlaneErrorCode } from './error.ts';

const statuses: Record<ControlPlaneErrorCode, number> = {
  bad_request: 400,
  unknown_command: 400,
  unauthenticated: 401,
  agent_not_connected: 404,
  command_not_found: 404,
  unknown_route: 404,
  key_reused: 409,
  too_large: 413,
  insecure_listen: 500,
  token_unreadable: 500,
};

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

/** Responds with `{"error": {"code", "message"}}` and the HTTP status of the code. */
export function sendError(response: ServerResponse, error: ControlPlaneError): void {
  sendJson(response, statuses[error.code], { error: { code: error.code, message: error.message } });
}

/** Returns the request's JSON body. Rejects with `bad_request` or `too_large`. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new ControlPlaneError('bad_request', 'the content type of the body must be application/json');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxPacketBytes) {
      throw new ControlPlaneError('too_large', `the body has more than ${maxPacketBytes} bytes`);
    }
    chunks.push(chunk);
  }
  try {
    return parseJson(Buffer.concat(chunks).toString('utf8'));
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw new ControlPlaneError('bad_request', `the body ${error.message}`);
  }
}
