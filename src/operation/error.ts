import { codeOf, messageOf } from '../errors/index.ts';
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
  | 'values_invalid'
  | 'values_not_found'
  | 'too_large'
  | 'release_exists'
  | 'release_not_found'
  | 'no_deployed_release'
  | 'pending_operation'
  | 'release_not_trusted'
  | 'plan_not_found'
  | 'plan_stale'
  | 'forbidden'
  | 'deployment_not_found'
  | 'invalid_manifest'
  | 'ownership_conflict'
  | 'conflict'
  | 'apply_failed'
  | 'delete_failed'
  | 'hook_failed'
  | 'not_ready'
  | 'not_found'
  | 'unknown_kind'
  | 'bad_request'
  | 'unsupported'
  | 'stream_lost'
  | 'agent_not_upgradable'
  | 'agent_upgrade_failed'
  | 'timeout'
  | 'cancelled'
  | 'internal';

/** A field of an object that the API server refuses. */
export interface FieldProblem {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
  /** Path of the field, as the server writes it: `.spec.replicas` or `spec.selector`. */
  field: string;
  /** The other manager that owns the field with another value, if that is the problem. */
  manager?: string;
  message: string;
}

/** An error that occurred after another one, while the operation was undone. */
export interface UndoError {
  code: string;
  message: string;
}

export interface OperationErrorOptions {
  cause?: unknown;
  /** The errors of undoing the operation. Their texts are also part of the message. */
  undoErrors?: readonly UndoError[];
  /** The fields that the API server refused. */
  problems?: readonly FieldProblem[];
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
  readonly problems: readonly FieldProblem[];
  readonly undoErrors: readonly UndoError[];

  constructor(code: OperationErrorCode, message: string, options?: OperationErrorOptions);
  constructor(code: string, message: string, options: OperationErrorOptions & { cause: unknown });
  constructor(
    code: string,
    message: string,
    { cause, resources = [], problems = [], undoErrors = [] }: OperationErrorOptions = {},
  ) {
    super(message, { cause });
    this.undoErrors = undoErrors;
    this.code = code;
    this.resources = resources;
    this.problems = problems;
  }
}

/**
 * Returns the error with another message, but with its code, resources and problems. The code is
 * `internal` if the error has none, which is a bug.
 */
export function withMessage(error: unknown, message: string, undoErrors?: readonly UndoError[]): OperationError {
  return new OperationError(codeOf(error) ?? 'internal', message, {
    cause: error,
    ...(undoErrors && { undoErrors }),
    ...(error instanceof OperationError && { resources: error.resources, problems: error.problems }),
  });
}

/** Returns the error with a prefix before its message. */
export function withPrefix(prefix: string, error: unknown): OperationError {
  return withMessage(error, `${prefix}: ${messageOf(error)}`);
}

/** Throws the errors, if any, as one error with the code of the first. */
export function throwJoined(errors: readonly unknown[], separator: string): void {
  if (errors.length === 1) throw errors[0];
  if (errors.length <= 1) return;
  const problems = errors.flatMap((error) => (error instanceof OperationError ? error.problems : []));
  const resources = errors.flatMap((error) => (error instanceof OperationError ? error.resources : []));
  const message = errors.map(messageOf).join(separator);
  throw new OperationError(codeOf(errors[0]) ?? 'internal', message, { cause: errors[0], resources, problems });
}
