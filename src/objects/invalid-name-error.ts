/** A name that cannot be part of a request to the API server. */
export class InvalidNameError extends Error {
  override readonly name = 'InvalidNameError';
  readonly code = 'invalid_name';
}
