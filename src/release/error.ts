export type ReleaseErrorCode =
  'release_exists' | 'release_not_found' | 'release_corrupt' | 'release_too_large' | 'release_conflict';

/** What storage of releases can fail with, besides what the cluster answers. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError';
  readonly code: ReleaseErrorCode;

  constructor(code: ReleaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
