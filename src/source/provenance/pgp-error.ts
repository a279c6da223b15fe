/**
 * Why OpenPGP data was refused: it is malformed, it uses what is not supported, or anything else.
 * Keys of the first two kinds are skipped when a keyring is read.
 */
export type PgpErrorKind = 'structural' | 'unsupported' | 'other';

/** A failure to read OpenPGP data or to verify a signature. The message is Helm's text. */
export class PgpError extends Error {
  override readonly name = 'PgpError';
  readonly kind: PgpErrorKind;

  constructor(kind: PgpErrorKind, message: string, options?: { cause?: unknown }) {
    super(`${prefixes[kind]}${message}`, options);
    this.kind = kind;
  }
}

const prefixes: Readonly<Record<PgpErrorKind, string>> = {
  structural: 'openpgp: invalid data: ',
  unsupported: 'openpgp: unsupported feature: ',
  other: '',
};
