import type * as openpgp from 'openpgp';
import type { Config } from 'openpgp';

declare module 'openpgp' {
  // its declaration of `sign` lacks the configuration, without which it fails
  interface SignaturePacket {
    sign(key: AnySecretKeyPacket, data: object, date: Date, detached: boolean, config: Config): Promise<void>;
  }
}

export type OpenPgp = typeof openpgp;

/** Loads the library, which takes about 100 ms: only when a signature is made or verified. */
export function loadOpenPgp(): Promise<OpenPgp> {
  return import('openpgp');
}

/**
 * Returns the configuration of the library that refuses nothing but what cannot be read. What Helm
 * refuses beyond that, our own code does.
 */
export function lenientConfig({ config }: OpenPgp, knownNotations: string[] = []): Config {
  return { ...config, rejectHashAlgorithms: new Set(), rejectMessageHashAlgorithms: new Set(), knownNotations };
}

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
