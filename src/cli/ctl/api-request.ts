import * as z from 'zod';
import { explainConnectError } from '../../agent/connection/dial-failure.ts';
import { codeOf, messageOf } from '../../errors/index.ts';
import { bearer } from '../../net/authorization.ts';
import { readServerSentEvents, type ServerSentEvent } from './server-sent-events.ts';

/** A request to the control plane that failed. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Whether trying again may help. */
  readonly isTemporary: boolean;
  /** HTTP status of the response; undefined if there was none. */
  readonly status: number | undefined;
  /** Whether there is no response to a request that the control plane may have. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, isTemporary: boolean, status?: number, mayHaveArrived = false) {
    super(message);
    this.isTemporary = isTemporary;
    this.status = status;
    this.mayHaveArrived = mayHaveArrived;
  }
}

/** A control plane, and how it is reached. */
export interface ApiServer {
  /** URL of the control plane: `http://127.0.0.1:8088`. */
  server: string;
  token: string | undefined;
  fetch: (url: string, init?: RequestInit) => Promise<Response>;
}

interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  signal: AbortSignal;
  /** Most milliseconds until the control plane responds. Default: a minute. */
  responseMs?: number;
}

const errorSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Time without a byte after which a stream of events is lost. The control plane sends comments. */
const silenceMs = 60_000;

/**
 * Yields the events of a path until they end. Rejects with `ApiError`, also when nothing has
 * arrived for a minute, and with the signal's reason.
 */
export async function* openEvents(
  options: ApiServer,
  path: string,
  { onOpen, ...init }: Pick<RequestOptions, 'headers' | 'signal'> & { onOpen?: (() => void) | undefined },
): AsyncGenerator<ServerSentEvent> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(silent('sent nothing', silenceMs)), silenceMs);
  async function* heard(body: AsyncIterable<Uint8Array>) {
    for await (const chunk of body) {
      timer.refresh();
      yield chunk;
    }
  }
  try {
    const { body } = await request(options, path, { ...init, signal: AbortSignal.any([init.signal, silence.signal]) });
    onOpen?.();
    if (body) yield* readServerSentEvents(heard(body));
  } finally {
    clearTimeout(timer);
  }
}

function silent(what: string, milliseconds: number): ApiError {
  return new ApiError(`the control plane has ${what} for ${milliseconds / 1000} s`, true, undefined, true);
}

/** Sends a request. Rejects with `ApiError` if there is no success. */
export async function request({ server, token, fetch }: ApiServer, path: string, init: RequestOptions) {
  const headers = { ...init.headers, ...(token !== undefined && { authorization: bearer(token) }) };
  // a redirect could lead to a connection without encryption
  const { responseMs = 60_000, ...rest } = init;
  const late = new AbortController();
  const timer =
    responseMs === Infinity ? undefined : setTimeout(() => late.abort(silent('not responded', responseMs)), responseMs);
  const signal = AbortSignal.any([init.signal, late.signal]);
  const response = await fetch(`${server}${path}`, { ...rest, headers, signal, redirect: 'manual' })
    .catch((error: unknown) => {
      signal.throwIfAborted();
      const text = `cannot reach the control plane at ${server}: ${reasonOf(error, server)}`;
      throw new ApiError(text, true, undefined, isLost(error));
    })
    .finally(() => clearTimeout(timer));
  if (response.ok) return response;
  if (response.status >= 300 && response.status < 400) {
    const problem = `${server} redirects to another address (${response.status})`;
    throw new ApiError(`${problem}; give the address of the control plane itself as --server`, false, response.status);
  }
  const body = errorSchema.safeParse(await response.json().catch(() => undefined));
  const reason = body.success ? body.data.error.message : response.statusText;
  if (response.status === 401)
    throw new ApiError(`${unauthorizedText(server, token !== undefined)} (${reason})`, false, response.status);
  throw new ApiError(
    `the control plane responded with ${response.status}: ${reason}`,
    response.status >= 500,
    response.status,
  );
}

/** Sends a body in JSON. Rejects as {@link request} does. */
export async function post(options: ApiServer, path: string, body: object, signal: AbortSignal) {
  const headers = { 'content-type': 'application/json' };
  return await request(options, path, { method: 'POST', headers, body: JSON.stringify(body), signal });
}

function unauthorizedText(server: string, hasToken: boolean): string {
  const advice = 'the token of its --api-token-file, or one of ctl token create; or sign in with ctl login';
  return hasToken
    ? `the control plane at ${server} does not accept this token (401); --token-file must name a file with ${advice}`
    : `the control plane at ${server} requires a token (401); use --token-file with a file that contains ${advice}`;
}

/** Returns the body of a response. */
export async function read<Output>(schema: z.ZodType<Output>, response: Response, server: string): Promise<Output> {
  const parsed = schema.safeParse(await response.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  throw new ApiError(`${server} does not respond like a control plane; check --server`, false);
}

/** Whether a connection was there, and was lost. */
function isLost(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(causeOf(error)) ?? '');
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? error) : error;
}

function reasonOf(error: unknown, server: string): string {
  const cause = causeOf(error);
  const code = codeOf(cause);
  // those of the HTTP client itself have clear messages
  if (code !== undefined && !code.startsWith('UND_')) return explainConnectError(code, new URL(server));
  return messageOf(cause) || messageOf(error);
}
