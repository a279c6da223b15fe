import type { webcrypto } from 'node:crypto';
import { codeOf } from '../errors/index.ts';
import { maxTextLength } from '../protocol/limits.ts';
import type { Sealed } from '../protocol/sealed.ts';
import type { PublicSealingKey } from './public-sealing-key.ts';
import { SealingError } from './sealing-error.ts';

/** The only place at which a sealed text can be used. */
export type SealedPlace = Pick<Sealed, 'agentId' | 'namespace' | 'releaseName' | 'purpose'>;

/** A private key, as a JSON Web Key names its parts (RFC 8037). */
export interface PrivateSealingKey {
  d: string;
  x: string;
}

/** Separates these texts from all others that the same key could open, and from later formats. */
const info = Buffer.from('helm-agent sealed text v1');

/**
 * Seals a text to the key of an agent, in base mode of HPKE: with X25519, HKDF-SHA256 and
 * AES-256-GCM. Only this agent can read it, and only for a command on this release, for this
 * purpose. It does not say who has sealed it. Throws `SealingError`.
 */
export async function seal(text: string, key: PublicSealingKey, place: SealedPlace): Promise<Sealed> {
  const { agentId, namespace, releaseName, purpose } = place;
  const bytes = Buffer.from(text);
  // in base64, a text may be three quarters of the longest
  if (bytes.length > (maxTextLength / 4) * 3 - 64) throw new SealingError('the text is too long for a command');
  const suite = await newSuite();
  try {
    // without the types of browsers, those of the library name a type that is missing
    const recipientPublicKey = (await suite.kem.deserializePublicKey(bufferOf(key.bytes))) as webcrypto.CryptoKey;
    const { ct, enc } = await suite.seal({ recipientPublicKey, info }, bytes, boundTo(place, key.id));
    const [encoded, ciphertext] = [Buffer.from(enc).toString('base64'), Buffer.from(ct).toString('base64')];
    return { keyId: key.id, agentId, namespace, releaseName, purpose, enc: encoded, ciphertext };
  } catch (error) {
    // such as a key of a small order, which makes the same secret for everyone
    throw new SealingError('the key of the agent cannot be used; get it again with ctl sealing-key', error);
  }
}

/**
 * Opens a text that was sealed for a place. Throws `SealingError`, whose message has nothing of the
 * text.
 */
export async function openSealed(
  { keyId, enc, ciphertext, ...claimed }: Sealed,
  { d, x }: PrivateSealingKey,
  place: SealedPlace,
): Promise<string> {
  for (const field of ['agentId', 'namespace', 'releaseName', 'purpose'] as const) {
    if (claimed[field] === place[field]) continue;
    throw new SealingError(
      `it is sealed for the ${names[field]} ${claimed[field]}, not ${place[field]}; seal it again`,
    );
  }
  const suite = await newSuite();
  const jwk = { kty: 'OKP', crv: 'X25519', d, x, key_ops: ['deriveBits'] };
  const recipientKey = (await suite.kem.importKey('jwk', jwk, false)) as webcrypto.CryptoKey;
  try {
    const sender = { recipientKey, info, enc: Buffer.from(enc, 'base64') };
    const opened = await suite.open(sender, Buffer.from(ciphertext, 'base64'), boundTo(place, keyId));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(opened);
  } catch (error) {
    if (codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw new SealingError('it is not text in UTF-8');
    throw new SealingError('it was changed after it was sealed, or is for another place; seal it again');
  }
}

const names = { agentId: 'agent', namespace: 'namespace', releaseName: 'release', purpose: 'purpose' } as const;

/** Most agents seal nothing, so the library is loaded by the first one that does. */
async function newSuite() {
  const { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } = await import('@hpke/core');
  return new CipherSuite({ kem: new DhkemX25519HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() });
}

/** Returns what a text is bound to: opening it with anything else fails. */
function boundTo({ agentId, namespace, releaseName, purpose }: SealedPlace, keyId: string): Buffer {
  return Buffer.from(JSON.stringify([agentId, namespace, releaseName, purpose, keyId]));
}

/** Returns the bytes in a buffer of their own, as WebCrypto wants them. */
function bufferOf(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
