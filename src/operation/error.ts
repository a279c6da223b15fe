import type { ResourceStatus } from './progress.ts';

/**
 * Codes of operation errors. Errors of the chart source, of rendering and of the cluster keep their
 * own codes.
 */
export type OperationErrorCode =
  | 'bad_payload'
  | 'invalid_release_name'
  | 'invalid_namespace'
  | 'namespace_not_found'
  | 'release_exists'
  | 'release_not_found'
  | 'no_deployed_release'
  | 'pending_operation'
  | 'deployment_not_found'
  | 'invalid_manifest'
  | 'ownership_conflict'
  | 'conflict'
  | 'apply_failed'
  | 'delete_failed'
  | 'hook_failed'
  | 'not_ready'
  | 'timeout'
  | 'cancelled'
  | 'internal';

export interface OperationErrorOptions {
  cause?: unknown;
  /** The resources that caused the error. */
  resources?: readonly ResourceStatus[];
}

export class OperationError extends Error {
  override readonly name = 'OperationError';
  /**
   * An {@link OperationErrorCode}, or the code of the cause if this error only extends its message.
   */
  readonly code: string;
  readonly resources: readonly ResourceStatus[];

  constructor(code: OperationErrorCode, message: string, options?: OperationErrorOptions);
  constructor(code: string, message: string, options: OperationErrorOptions & { cause: unknown });
  constructor(code: string, message: string, { cause, resources = [] }: OperationErrorOptions = {}) {
    super(message, { cause });
    this.code = code;
    this.resources = resources;
  }
}

/** Returns the message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Returns the error with another message, but with its code and resources. The code is `internal`
 * if the error has none, which is a bug.
 */
export function withMessage(error: unknown, message: string): OperationError {
  return new OperationError(codeOf(error) ?? 'internal', message, {
    cause: error,
    ...(error instanceof OperationError && { resources: error.resources }),
  });
}

/** Returns the error with a prefix before its message. */
export function withPrefix(prefix: string, error: unknown): OperationError {
  return withMessage(error, `${prefix}: ${messageOf(error)}`);
}

/** Throws the errors, if any, as one error with the code of the first. */
export function throwJoined(errors: readonly unknown[], separator: string): void {
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw withMessage(errors[0], errors.map(messageOf).join(separator));
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
