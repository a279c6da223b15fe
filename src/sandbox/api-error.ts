/** An invalid field, like `field.Error` of the Kubernetes API. */
export interface FieldError {
  reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueDuplicate'
    | 'FieldValueNotFound';
  field: string;
  message: string;
}

/** The object that a message names, such as `deployments.apps "web"`. */
export interface ErrorSubject {
  group: string;
  plural: string;
  kind: string;
  name: string;
}

interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: { reason: string; message: string; field: string }[];
  retryAfterSeconds?: number;
}

/** An error that is sent to the client as a Status object. Its messages are those of Kubernetes. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(status: number, reason: string, message: string, details?: StatusDetails) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.details = details;
  }
}

export function statusObject(error: ApiError): Record<string, unknown> {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: error.message,
    reason: error.reason,
    ...(error.details && { details: error.details }),
    code: error.status,
  };
}

export function notFound(subject: ErrorSubject): ApiError {
  return new ApiError(404, 'NotFound', `${resourceOf(subject)} "${subject.name}" not found`, plainDetails(subject));
}

/** Returns the error for a path or kind that does not exist. */
export function noSuchResource(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(subject: ErrorSubject): ApiError {
  return new ApiError(
    409,
    'AlreadyExists',
    `${resourceOf(subject)} "${subject.name}" already exists`,
    plainDetails(subject),
  );
}

export function conflict(subject: ErrorSubject, reason: string): ApiError {
  const message = `Operation cannot be fulfilled on ${resourceOf(subject)} "${subject.name}": ${reason}`;
  return new ApiError(409, 'Conflict', message, plainDetails(subject));
}

export function staleVersion(subject: ErrorSubject): ApiError {
  return conflict(
    subject,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

export function forbidden(subject: ErrorSubject, reason: string): ApiError {
  return new ApiError(
    403,
    'Forbidden',
    `${resourceOf(subject)} "${subject.name}" is forbidden: ${reason}`,
    plainDetails(subject),
  );
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

export function unauthorized(): ApiError {
  return new ApiError(401, 'Unauthorized', 'Unauthorized');
}

export function methodNotAllowed(): ApiError {
  return new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

export function unsupportedMediaType(): ApiError {
  const accepted = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted}`;
  return new ApiError(415, 'UnsupportedMediaType', message);
}

export function unsupportedPatchType(): ApiError {
  return new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

export function expired(message: string): ApiError {
  return new ApiError(410, 'Expired', message);
}

export function invalid(subject: ErrorSubject, errors: FieldError[]): ApiError {
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  const list = texts.length === 1 ? texts.join() : `[${texts.join(', ')}]`;
  const kind = subject.group === '' ? subject.kind : `${subject.kind}.${subject.group}`;
  return new ApiError(422, 'Invalid', `${kind} "${subject.name}" is invalid: ${list}`, {
    ...(subject.name !== '' && { name: subject.name }),
    ...(subject.group !== '' && { group: subject.group }),
    kind: subject.kind,
    causes: errors.map(({ reason, message, field }) => ({ reason, message, field })),
  });
}

export function required(field: string, detail = ''): FieldError {
  return { reason: 'FieldValueRequired', field, message: `Required value${detail === '' ? '' : `: ${detail}`}` };
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${JSON.stringify(value)}: ${detail}` };
}

function resourceOf(subject: ErrorSubject): string {
  return subject.group === '' ? subject.plural : `${subject.plural}.${subject.group}`;
}

function plainDetails(subject: ErrorSubject): StatusDetails {
  return { name: subject.name, ...(subject.group !== '' && { group: subject.group }), kind: subject.plural };
}
