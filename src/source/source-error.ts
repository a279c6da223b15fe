/** Reasons why a chart cannot be fetched. */
export type SourceErrorCode =
  | 'repository_unauthorized'
  | 'repository_not_found'
  | 'repository_failed'
  | 'repository_timeout'
  | 'repository_invalid'
  | 'invalid_repository_url'
  | 'invalid_version'
  | 'chart_not_found'
  | 'version_not_found'
  | 'digest_mismatch'
  | 'chart_not_verified'
  | 'too_large'
  | 'local_charts_disabled'
  | 'path_forbidden'
  | 'address_denied'
  | 'unsupported';

/**
 * A failure to fetch a chart. The message contains no credentials: URLs in it have neither userinfo
 * nor the values of their query.
 */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code: SourceErrorCode;
  /** Status of the server's response, such as `404 Not Found`, if it is the reason. */
  readonly status: string | undefined;

  constructor(code: SourceErrorCode, message: string, options?: { cause?: unknown; status?: string }) {
    super(message, options);
    this.code = code;
    this.status = options?.status;
  }
}
