/** A signature that is missing, wrong or too old, or a key that cannot be used. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
  readonly code: 'signature_required' | 'signature_invalid' | 'signature_expired' | 'signature_replayed';

  constructor(code: SignatureError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
