import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { bytesOfKey, type PublicKey, publicKeyOf } from './public-key.ts';
import { SignatureError } from './signature-error.ts';

/** Signs with an Ed25519 key: of a file, of an ssh-agent, or of a key management service. */
export interface Signer {
  readonly publicKey: PublicKey;
  /** Returns the signature of the bytes, which has 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** A signer that needs no other process. */
export interface LocalSigner extends Signer {
  sign(bytes: Uint8Array): Uint8Array;
}

/** The longest text of a private key, in UTF-16 units. */
const maxPrivateKeyLength = 4000;

/**
 * Returns a signer with a private Ed25519 key in PEM, as `openssl genpkey -algorithm ed25519`
 * writes it. Throws `SignatureError`, whose message is the end of a sentence and has nothing of the
 * text.
 */
export function pemSigner(text: string): LocalSigner {
  const key = privateKeyOf(text);
  const publicKey = publicKeyOf(bytesOfKey(createPublicKey(key)));
  return { publicKey, sign: (bytes) => sign(null, bytes, key) };
}

function privateKeyOf(text: string): KeyObject {
  const advice = 'make one with: openssl genpkey -algorithm ed25519';
  const isPem = text.length <= maxPrivateKeyLength && text.includes('-----BEGIN PRIVATE KEY-----');
  if (!isPem) throw new SignatureError('signature_invalid', `has no private key in PEM without a password; ${advice}`);
  try {
    return createPrivateKey({ key: text, format: 'pem' });
  } catch {
    throw new SignatureError('signature_invalid', `has a private key that cannot be read; ${advice}`);
  }
}
