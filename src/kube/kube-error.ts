/** What went wrong with a request to the API server, in words that do not depend on HTTP. */
export type KubeErrorCode =
  | 'not_found'
  | 'already_exists'
  | 'conflict'
  | 'forbidden'
  | 'unauthorized'
  | 'invalid'
  | 'bad_request'
  | 'gone'
  | 'too_many_requests'
  | 'server_error'
  | 'unreachable'
  | 'unknown_kind';

/** A request that the API server refused, or that did not reach it. The message is the server's own sentence where it gave one. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: KubeErrorCode;
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** The `reason` of the server's Status object: `NotFound`, `AlreadyExists`, …; empty where it gave none. */
  readonly reason: string;

  constructor(
    code: KubeErrorCode,
    message: string,
    details: { status?: number; reason?: string; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? 0;
    this.reason = details.reason ?? '';
  }
}

export function isKubeError(error: unknown, ...codes: KubeErrorCode[]): error is KubeError {
  return error instanceof KubeError && (codes.length === 0 || codes.includes(error.code));
}

const codeOfStatus: Readonly<Record<number, KubeErrorCode>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  410: 'gone',
  422: 'invalid',
  429: 'too_many_requests',
};

/** The error for an answer of `status` with this body: a Status object as a rule, plain text from proxies and the server's mux. */
export function errorOfResponse(status: number, body: string): KubeError {
  const answer = statusObject(body);
  return errorOfStatus(status, answer.reason, answer.message ?? describePlain(status, body));
}

/** The error that a watch carries as an `ERROR` event: a Status object with its own code. */
export function errorOfStatusObject(object: unknown): KubeError {
  const { code, reason, message } = statusFields(object);
  return errorOfStatus(code ?? 500, reason, message ?? 'the server ended the watch with an error without a message');
}

function errorOfStatus(status: number, reason: string, message: string): KubeError {
  return new KubeError(codeFor(status, reason, message), message, { status, reason });
}

function codeFor(status: number, reason: string, message: string): KubeErrorCode {
  if (reason === 'AlreadyExists') return 'already_exists';
  // an applied object that does not fit the schema is answered with 500, though nothing is wrong with the server
  if (message.startsWith('failed to create typed patch object')) return 'invalid';
  return codeOfStatus[status] ?? (status >= 500 ? 'server_error' : 'bad_request');
}

function statusObject(body: string): { reason: string; message?: string } {
  try {
    return statusFields(JSON.parse(body));
  } catch {
    return { reason: '' };
  }
}

function statusFields(value: unknown): { code?: number; reason: string; message?: string } {
  if (typeof value !== 'object' || value === null) return { reason: '' };
  const { code, reason, message } = value as Record<string, unknown>; // any JSON object; each field is checked below
  return {
    ...(typeof code === 'number' && { code }),
    reason: typeof reason === 'string' ? reason : '',
    ...(typeof message === 'string' && message !== '' && { message }),
  };
}

function describePlain(status: number, body: string): string {
  const text = body.trim().slice(0, 200);
  return text === ''
    ? `the API server answered ${status} without a message`
    : `the API server answered ${status}: ${text}`;
}
