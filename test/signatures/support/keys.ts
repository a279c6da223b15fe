import { generateKeyPairSync } from 'node:crypto';
import { type LocalSigner, pemSigner } from '../../../src/signatures/signer.ts';

/** Returns a signer with a new key. */
export function newSigner(): LocalSigner {
  return pemSigner(newPrivateKey());
}

/** Returns a new private key in PEM. */
export function newPrivateKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

/** Returns a public key in PEM. */
export function pemOf({ publicKey }: LocalSigner): string {
  return publicKey.key.export({ format: 'pem', type: 'spki' }).toString();
}
