/** Why a request to the cluster failed, in terms that do not depend on HTTP. */
export type ClusterErrorCode =
  | 'not_found'
  | 'already_exists'
  | 'conflict'
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

/** Whether an error of a `Cluster` has this code. */
export function hasClusterErrorCode(error: unknown, code: ClusterErrorCode): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
