import type { ResourceStatus } from './progress.ts';

/** What an operation can fail with, besides errors of the chart's source, of rendering and of the cluster, which keep their own codes. */
export type OperationErrorCode =
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
  /** The resources that are to blame. */
  resources?: readonly ResourceStatus[];
}

export class OperationError extends Error {
  override readonly name = 'OperationError';
  /** One of {@link operationErrorCodes}; or that of the cause, of whatever layer, where this error only adds to its message. */
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
