type SignatureErrorCode =
  'signature_required' | 'signature_invalid' | 'signature_expired' | 'signature_replayed' | 'approval_required';

/** A signature that is missing, wrong or too old, or a key that cannot be used. */
export class SignatureError extends Error {
  override readonly name = 'SignatureError';
  readonly code: SignatureErrorCode;

  constructor(code: SignatureErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
