/** A sealed text that cannot be opened, or a key that is not one. */
export class SealingError extends Error {
  override readonly name = 'SealingError';
  readonly code = 'sealed_invalid';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}
