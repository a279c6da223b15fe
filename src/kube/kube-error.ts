import type { ClusterErrorCode } from '../objects/cluster-error.ts';
import { numberAt, stringAt } from '../objects/fields.ts';

/**
 * A request that the API server refused, or that did not reach it. The message is the server's own
 * sentence if there is one.
 */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: ClusterErrorCode;
  /** HTTP status, or 0 if there was no response. */
  readonly status: number;
  /**
   * `reason` of the server's Status object: `NotFound`, `AlreadyExists` and so on. May be empty.
   */
  readonly reason: string;
  /** Resource that the error is about: `resourcequotas` and so on. May be empty. */
  readonly resource: string;

  constructor(
    code: ClusterErrorCode,
    message: string,
    details: { status?: number; reason?: string; resource?: string; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? 0;
    this.reason = details.reason ?? '';
    this.resource = details.resource ?? '';
  }
}

export function isKubeError(error: unknown, ...codes: ClusterErrorCode[]): error is KubeError {
  return error instanceof KubeError && (codes.length === 0 || codes.includes(error.code));
}

const codeOfStatus: Readonly<Record<number, ClusterErrorCode>> = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  410: 'gone',
  422: 'invalid',
  429: 'too_many_requests',
};

/**
 * Returns the error for a response. Its body is a Status object, or plain text if it comes from a
 * proxy or from the server's mux.
 */
export function errorOfResponse(status: number, body: string): KubeError {
  const { reason, message, resource } = statusFields(parseBody(body));
  return errorOfStatus(status, reason, message === '' ? describeBody(status, body) : message, resource);
}

/** Returns the error of a watch's `ERROR` event: a Status object with a code. */
export function errorOfStatusObject(object: unknown): KubeError {
  const { code = 500, reason, message } = statusFields(object);
  return errorOfStatus(
    code,
    reason,
    message === '' ? 'the server ended the watch with an error but no message' : message,
  );
}

function errorOfStatus(status: number, reason: string, message: string, resource = ''): KubeError {
  return new KubeError(codeFor(status, reason, message), message, { status, reason, resource });
}

function codeFor(status: number, reason: string, message: string): ClusterErrorCode {
  if (reason === 'AlreadyExists') return 'already_exists';
  if (isSchemaMismatch(status, reason, message)) return 'invalid';
  return codeOfStatus[status] ?? (status >= 500 ? 'server_error' : 'bad_request');
}

/**
 * Whether an applied object does not match its schema. The API server returns a plain Go error for
 * this (k8s.io/apimachinery/pkg/util/managedfields/internal/structuredmerge.go), which becomes a
 * 500 with no reason and no details, as for a storage failure. Only the message distinguishes them.
 */
function isSchemaMismatch(status: number, reason: string, message: string): boolean {
  return status === 500 && reason === '' && message.startsWith('failed to create typed patch object');
}

function statusFields(status: unknown): {
  code: number | undefined;
  reason: string;
  message: string;
  resource: string;
} {
  return {
    code: numberAt(status, 'code'),
    reason: stringAt(status, 'reason') ?? '',
    message: stringAt(status, 'message') ?? '',
    resource: stringAt(status, 'details', 'kind') ?? '',
  };
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function describeBody(status: number, body: string): string {
  const text = body.trim().slice(0, 200);
  return `the API server responded with ${status}${text === '' ? ' and no message' : `: ${text}`}`;
}
