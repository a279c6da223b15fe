export type ReleaseErrorCode =
  'release_exists' | 'release_not_found' | 'release_corrupt' | 'release_too_large' | 'release_conflict';

/** Error of release storage. Errors of the cluster are passed on as they are. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError';
  readonly code: ReleaseErrorCode;

  constructor(code: ReleaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
