import type { IncomingMessage, ServerResponse } from 'node:http';
import type * as z from 'zod';
import { JsonTextError, parseJson } from '../protocol/json.ts';
import { maxPacketBytes } from '../protocol/limits.ts';
import { validate } from '../protocol/validation.ts';
import { ControlPlaneError, type ControlPlaneErrorCode } from './error.ts';

const statuses: Record<ControlPlaneErrorCode, number> = {
  bad_request: 400,
  unknown_command: 400,
  digest_mismatch: 400,
  unsupported: 400,
  unauthenticated: 401,
  agent_not_connected: 404,
  agent_not_found: 404,
  chart_not_found: 404,
  command_not_found: 404,
  unknown_route: 404,
  timeout: 408,
  agent_connected: 409,
  key_reused: 409,
  too_large: 413,
  busy: 503,
  store_unavailable: 503,
  token_unreadable: 500,
};

/** Serves a request. `id` is the part of the path that its pattern captures. */
export type Handler = (request: IncomingMessage, response: ServerResponse, id: string) => Promise<void> | void;
export type Route = [method: string, path: RegExp, handler: Handler];

/** Time in which a client must read a part of a response. */
const unreadTimeoutMs = 30_000;

/** Sends a JSON body. Ends the connection of a client that reads nothing, within a minute. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.setTimeout(unreadTimeoutMs, () => response.destroy());
  response.end(text);
}

/** The errors after which the rest of a request is not read. */
const lastErrors: ReadonlySet<ControlPlaneErrorCode> = new Set(['unauthenticated', 'timeout']);

/**
 * Responds with `{"error": {"code", "message"}}` and the HTTP status of the code. Ends the
 * connection of a client that is not authenticated, or too slow.
 */
export function sendError(response: ServerResponse, error: ControlPlaneError): void {
  if (lastErrors.has(error.code)) response.setHeader('connection', 'close');
  sendJson(response, statuses[error.code], { error: { code: error.code, message: error.message } });
}

/** The bodies of requests that are being read. */
export interface RequestBodies {
  readonly maxBytes: number;
  bytes: number;
}

/** Time for a client to send a JSON body. */
const bodyTimeoutMs = 60_000;

/** Returns the request's JSON body. Rejects with `bad_request`, `too_large` or `busy`. */
export async function readJson(request: IncomingMessage, bodies: RequestBodies): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new ControlPlaneError('bad_request', 'the content type of the body must be application/json');
  }
  try {
    return parseJson(await readText(request, bodies));
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    throw new ControlPlaneError('bad_request', `the body ${error.message}`);
  }
}

async function readText(request: IncomingMessage, bodies: RequestBodies): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const cutOff = setTimeout(() => request.destroy(), bodyTimeoutMs);
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      bodies.bytes += chunk.length;
      if (size > maxPacketBytes) {
        throw new ControlPlaneError('too_large', `the body has more than ${maxPacketBytes} bytes`);
      }
      if (bodies.bytes > bodies.maxBytes) {
        throw new ControlPlaneError('busy', 'too many large requests arrive at a time; try again later');
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    clearTimeout(cutOff);
    bodies.bytes -= size;
  }
}

/** Returns a body as a schema reads it. Throws `ControlPlaneError` `bad_request`. */
export function readBody<Output>(schema: z.ZodType<Output>, body: unknown): Output {
  const validated = validate(schema, body, 'the body');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
  return validated.data;
}
