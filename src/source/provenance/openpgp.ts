import type { Config } from 'openpgp';
import type * as openpgp from 'openpgp';

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
