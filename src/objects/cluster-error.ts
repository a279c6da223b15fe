/** Why a request to the cluster failed, in terms that do not depend on HTTP. */
export type ClusterErrorCode =
  | 'not_found'
  | 'already_exists'
  | 'conflict'
  | 'quota_conflict'
  | 'webhook_unavailable'
  | 'forbidden'
  | 'unauthorized'
  | 'invalid'
  | 'invalid_name'
  | 'bad_request'
  | 'gone'
  | 'too_many_requests'
  | 'server_error'
  | 'unreachable'
  | 'unknown_kind';

/** Whether an error of a `Cluster` has one of these codes. */
export function hasClusterErrorCode(error: unknown, ...codes: ClusterErrorCode[]): boolean {
  return error instanceof Error && 'code' in error && codes.some((code) => error.code === code);
}

/** Whether the API server may respond if the request of an error is sent again later. */
export function isTemporary(error: unknown): boolean {
  return hasClusterErrorCode(error, 'unreachable', 'server_error', 'too_many_requests');
}

/** One problem of a refused object, as the API server names it. */
export interface ClusterErrorCause {
  /** `FieldManagerConflict`, `FieldValueInvalid` and so on. May be empty. */
  reason: string;
  message: string;
  /** Path of the field: `.spec.replicas` or `spec.selector`. May be empty. */
  field: string;
  /** The other manager, if the problem is a conflict with it. */
  manager?: string;
}

/** Returns the problems that an error of a `Cluster` names. */
export function causesOf(error: unknown): readonly ClusterErrorCause[] {
  return error instanceof Error && 'causes' in error && Array.isArray(error.causes)
    ? (error.causes as ClusterErrorCause[]) // only errors of a Cluster have them
    : [];
}
