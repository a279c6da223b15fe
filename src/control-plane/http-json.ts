import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type * as z from 'zod';
import type { ErrorCode } from '../protocol/error-codes.ts';
import { JsonTextError, parseJson } from '../protocol/json.ts';
import { maxPacketBytes } from '../protocol/limits.ts';
import { validate } from '../protocol/validation.ts';
import type { User } from './access/authenticate-user.ts';
import type { AuditFields } from './audit/audit-entry.ts';
import { ControlPlaneError, type ControlPlaneErrorCode } from './error.ts';

/** The HTTP status of each error. */
export const statuses: Readonly<Record<ControlPlaneErrorCode, number>> = {
  bad_request: 400,
  unknown_command: 400,
  digest_mismatch: 400,
  unsupported: 400,
  unauthenticated: 401,
  forbidden: 403,
  agent_not_connected: 404,
  agent_not_found: 404,
  chart_not_found: 404,
  command_not_found: 404,
  token_not_found: 404,
  session_not_found: 404,
  webhook_not_found: 404,
  rollout_not_found: 404,
  unknown_route: 404,
  method_not_allowed: 405,
  timeout: 408,
  agent_connected: 409,
  key_reused: 409,
  rollout_conflict: 409,
  stream_taken: 409,
  stream_ended: 409,
  cancelled: 409,
  too_large: 413,
  busy: 503,
  store_unavailable: 503,
  recording_failed: 503,
  provider_unavailable: 503,
  token_unreadable: 500,
};

/** The user of a request, and what the audit log says about it. */
export interface Requester extends User {
  /** Adds to the entry of the audit log. */
  readonly note: (fields: Partial<AuditFields>) => void;
}

/** Serves a request of a user. `id` is the parameter of the path, decoded; empty if it has none. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  user: Requester,
) => Promise<void> | void;

/**
 * Those who may use a route: `anyone`, also without a token; `users`, of whom its handler asks the
 * guard what they may do; or administrators without any limit.
 */
type Audience = 'anyone' | 'users' | 'administrators';

/** A schema of zod, or a reference to one that the document of OpenAPI makes from the commands. */
export type DocumentedSchema = z.ZodType | { readonly $ref: `#/components/schemas/${string}` };

/** The response of a route that succeeds. */
export interface RouteResponse {
  readonly description: string;
  /** Default: the body is not JSON, or there is none. */
  readonly schema?: DocumentedSchema;
  /** Default: `application/json` with a schema; without one, there is no body. */
  readonly mediaType?: string;
}

/** A request that the server responds to. */
export interface Route {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** A part `{name}` is a parameter: any text without a slash. */
  readonly path: `/${string}`;
  /** Default: administrators. */
  readonly audience?: Audience;
  /** One sentence for the document of OpenAPI. */
  readonly summary: string;
  readonly handler: Handler;
}

/** A request of the REST API. The router, the guard and the document of OpenAPI use it. */
export interface ApiRoute extends Route {
  /** Name of the operation, which no other route has. */
  readonly name: string;
  /** The parameter of the path. Default: any text. */
  readonly parameter?: z.ZodString;
  /** The parameters of the query, which the handler reads. Default: none. */
  readonly query?: z.ZodObject;
  /** The headers that the handler reads, in lower case. Default: none. */
  readonly headers?: z.ZodObject;
  /** The body that the handler reads: JSON, or bytes of a media type. Default: none. */
  readonly body?: DocumentedSchema | { readonly mediaType: string };
  /** By status. */
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /** The codes of errors besides those that are the same for all routes. Default: none. */
  readonly errors?: readonly ControlPlaneErrorCode[];
}

/** Time in which a client must read a part of a response. */
const unreadTimeoutMs = 30_000;

/** Sends a JSON body. Ends the connection of a client that reads nothing, within a minute. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  contentType = 'application/json',
): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(text) });
  response.setTimeout(unreadTimeoutMs, () => response.destroy());
  response.end(text);
}

/** The errors after which the rest of a request is not read. */
const lastErrors: ReadonlySet<ControlPlaneErrorCode> = new Set(['unauthenticated', 'timeout']);

/**
 * Responds with the problem details of RFC 9457, to which it adds `code` and `error`, and with the
 * HTTP status of the code. Ends the connection of a client that is not authenticated, or too slow.
 */
export function sendError(response: ServerResponse, error: ControlPlaneError): void {
  if (lastErrors.has(error.code)) response.setHeader('connection', 'close');
  sendProblem(response, statuses[error.code], error);
}

/** Responds with an error. Earlier versions had only the field `error`. */
export function sendProblem(
  response: ServerResponse,
  status: number,
  error: { code: ErrorCode; message: string },
): void {
  const { code, message } = error;
  const details = { type: 'about:blank', title: STATUS_CODES[status], status, detail: message };
  sendJson(response, status, { ...details, code, error: { code, message } }, 'application/problem+json');
}

/** Returns the HTTP status for an error. */
export function statusOf({ code }: ControlPlaneError): number {
  return statuses[code];
}

/** Returns the status line for an error, as `404 Not Found`. */
export function statusLineOf(error: ControlPlaneError): string {
  const status = statusOf(error);
  return `${status} ${STATUS_CODES[status] ?? ''}`;
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

/** Returns the text of a segment of a path. Throws `ControlPlaneError` `bad_request`. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ControlPlaneError('bad_request', 'the path is not properly encoded');
  }
}

/** Returns the query of a URL as a schema reads it. Throws `ControlPlaneError` `bad_request`. */
export function readQuery<Output>(schema: z.ZodType<Output>, url = ''): Output {
  const parameters = new URLSearchParams(url.split('?').slice(1).join('?'));
  const validated = validate(schema, Object.fromEntries(parameters), 'the query');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
  return validated.data;
}

/** Returns a body as a schema reads it. Throws `ControlPlaneError` `bad_request`. */
export function readBody<Output>(schema: z.ZodType<Output>, body: unknown): Output {
  const validated = validate(schema, body, 'the body');
  if ('problems' in validated) throw new ControlPlaneError('bad_request', validated.problems.join('; '));
  return validated.data;
}
