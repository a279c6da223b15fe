import type { ClusterErrorCause, ClusterErrorCode } from '../objects/cluster-error.ts';
import { numberAt, objectsAt, stringAt } from '../objects/fields.ts';
import { parsedJson } from '../objects/json-text.ts';

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
  /** The fields that the server refuses, if it names them. */
  readonly causes: readonly ClusterErrorCause[];

  constructor(
    code: ClusterErrorCode,
    message: string,
    details: {
      status?: number;
      reason?: string;
      resource?: string;
      causes?: readonly ClusterErrorCause[];
      cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? 0;
    this.reason = details.reason ?? '';
    this.resource = details.resource ?? '';
    this.causes = details.causes ?? [];
  }
}

export function isKubeError(error: unknown, ...codes: ClusterErrorCode[]): error is KubeError {
  return error instanceof KubeError && (codes.length === 0 || codes.includes(error.code));
}

/**
 * Whether the path of a request does not exist, or a proxy says so: the server names the object if
 * only that is missing.
 */
export function isUnserved(error: unknown): boolean {
  return isKubeError(error, 'server_error') && error.status === 404;
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
 * Returns the error for a response to a request for `path`. Its body is a Status object, or plain
 * text if it comes from a proxy or from the server's mux.
 */
export function errorOfResponse(status: number, body: string, path = ''): KubeError {
  const fields = statusFields(parsedJson(body));
  const message = fields.message === '' ? describeBody(status, body) : fields.message;
  if (isQuotaConflict(status, fields, path)) return new KubeError('quota_conflict', message, { status, ...fields });
  return errorOfStatus(status, { ...fields, message });
}

/**
 * Whether a request was refused because other requests changed the status of a ResourceQuota at the
 * same time. Helm repeats it too (pkg/kube/client.go, isResourceQuotaConflict).
 */
function isQuotaConflict(status: number, { resource }: StatusFields, path: string): boolean {
  return status === 409 && resource === 'resourcequotas' && !path.includes('/resourcequotas');
}

/** Returns the error of a watch's `ERROR` event: a Status object with a code. */
export function errorOfStatusObject(object: unknown): KubeError {
  const { code = 500, ...fields } = statusFields(object);
  const message = fields.message === '' ? 'the server ended the watch with an error but no message' : fields.message;
  return errorOfStatus(code, { ...fields, message });
}

interface StatusFields {
  reason: string;
  message: string;
  resource: string;
  /** Name of the object that the error is about. May be empty. */
  name: string;
  causes: readonly ClusterErrorCause[];
}

function errorOfStatus(status: number, { message, ...details }: StatusFields): KubeError {
  return new KubeError(codeFor(status, { message, ...details }), message, { status, ...details });
}

function codeFor(status: number, { reason, message, name }: StatusFields): ClusterErrorCode {
  if (status === 404 && name === '') return 'server_error';
  if (reason === 'AlreadyExists') return 'already_exists';
  if (isSchemaMismatch(status, reason, message)) return 'invalid';
  if (isWebhookFailure(status, reason, message)) return 'webhook_unavailable';
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

/**
 * Whether an admission webhook could not be called. The API server returns an internal error
 * without details for this (k8s.io/apiserver/pkg/admission/plugin/webhook); only the message
 * distinguishes it.
 */
function isWebhookFailure(status: number, reason: string, message: string): boolean {
  return (
    status === 500 &&
    reason === 'InternalError' &&
    message.startsWith('Internal error occurred: failed calling webhook ')
  );
}

/** UTF-16 units of a message: longer ones do not fit in the record of a release that has failed. */
const longestMessage = 64 * 1024;

/** Number of fields that an error names, and the UTF-16 units of each text about them. */
const maxCauses = 200;
const longestCauseText = 1024;

function statusFields(status: unknown): StatusFields & { code: number | undefined } {
  return {
    code: numberAt(status, 'code'),
    reason: stringAt(status, 'reason') ?? '',
    message: shortened(stringAt(status, 'message') ?? '', longestMessage),
    resource: stringAt(status, 'details', 'kind') ?? '',
    name: stringAt(status, 'details', 'name') ?? '',
    causes: objectsAt(status, 'details', 'causes')
      .slice(0, maxCauses)
      .map(({ reason, message, field }) => causeOf(textOf(reason), textOf(message), textOf(field))),
  };
}

/** Leaves out the middle of a long text: the problem is at either end. */
function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length / 2)} … ${text.slice(-length / 2)}`.toWellFormed();
}

/** Adds the manager's name, which only the message has: `conflict with "NAME"`. */
function causeOf(reason: string, message: string, field: string): ClusterErrorCause {
  const quoted =
    reason === 'FieldManagerConflict' ? /^conflict with ("(?:[^"\\]|\\.)*")/.exec(message)?.[1] : undefined;
  const manager = quoted === undefined ? undefined : parsedJson(quoted);
  return { reason, message, field, ...(typeof manager === 'string' && { manager }) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? shortened(value, longestCauseText) : '';
}

function describeBody(status: number, body: string): string {
  const text = body.trim().slice(0, 200);
  return `the API server responded with ${status}${text === '' ? ' and no message' : `: ${text}`}`;
}
