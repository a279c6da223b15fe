import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { SignatureError } from './signature-error.ts';

/** A public Ed25519 key (RFC 8032). */
export interface PublicKey {
  /** `SHA256:` and the SHA-256 of the key in base64, as `ssh-keygen -l` prints it. */
  id: string;
  key: KeyObject;
}

/** The longest text of a public key, in UTF-16 units. */
const maxPublicKeyLength = 1000;

const keyBytes = 32;
const sshType = Buffer.from('ssh-ed25519');

/**
 * The y coordinates of points with a small order, in little-endian: a signature of such a key can
 * be valid for any text.
 */
const smallOrder: ReadonlySet<string> = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  `ec${'ff'.repeat(30)}7f`,
]);

/**
 * Reads a public Ed25519 key in PEM, as openssl writes it, or as a line `ssh-ed25519 AAAA…`. Throws
 * `SignatureError`, whose message is the end of a sentence and has nothing of the text.
 */
export function readPublicKey(text: string): PublicKey {
  if (text.length > maxPublicKeyLength) throw invalidKey(`must have at most ${maxPublicKeyLength} characters`);
  if (text.includes('PRIVATE KEY')) throw invalidKey('is a private key; give only its public key away');
  const trimmed = text.trim();
  return publicKeyOf(trimmed.startsWith('ssh-') ? sshKeyBytes(trimmed) : pemKeyBytes(trimmed));
}

/** Returns the key with these 32 bytes. Throws `SignatureError` if no key has them. */
export function publicKeyOf(bytes: Buffer): PublicKey {
  if (bytes.length !== keyBytes) throw invalidKey('must be an Ed25519 key');
  const y = Buffer.from(bytes);
  y.writeUInt8(y.readUInt8(keyBytes - 1) & 0x7f, keyBytes - 1);
  // a number above the prime would be another text for the same key
  const isReduced = y[keyBytes - 1] !== 0x7f || y.subarray(1, -1).some((byte) => byte !== 0xff) || y.readUInt8() < 0xed;
  if (!isReduced || smallOrder.has(y.toString('hex'))) throw invalidKey('must be an Ed25519 key that is safe to use');
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') };
  return { id: keyIdOf(bytes), key: createPublicKey({ key: jwk, format: 'jwk' }) };
}

/** Returns the 32 bytes of an Ed25519 key. Throws `SignatureError` for a key of another type. */
export function bytesOfKey(key: KeyObject): Buffer {
  if (key.asymmetricKeyType !== 'ed25519') throw invalidKey('must be an Ed25519 key');
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
}

/** Returns a public key as a line of an `authorized_keys` file. */
export function sshLineOf({ key }: PublicKey): string {
  return `${sshType.toString()} ${sshBlob(bytesOfKey(key)).toString('base64')}`;
}

/** Returns `SHA256:` and the SHA-256 of a public key of any type in DER, in hex. */
export function fingerprintOf(key: KeyObject): string {
  const der = key.export({ type: 'spki', format: 'der' });
  return `SHA256:${createHash('sha256').update(der).digest('hex')}`;
}

function pemKeyBytes(text: string): Buffer {
  // createPublicKey also reads private keys and certificates
  if (!/^-----BEGIN PUBLIC KEY-----\r?\n[A-Za-z0-9+/=\s]*-----END PUBLIC KEY-----$/.test(text)) {
    throw invalidKey('must be a public key in PEM (-----BEGIN PUBLIC KEY-----), or a line ssh-ed25519 AAAA…');
  }
  let key: KeyObject;
  try {
    key = createPublicKey({ key: text, format: 'pem' });
  } catch {
    throw invalidKey('cannot be read');
  }
  return bytesOfKey(key);
}

function sshKeyBytes(line: string): Buffer {
  const [type, encoded = ''] = line.split(/[ \t]+/, 2);
  if (type !== sshType.toString() || /[\r\n]/.test(line)) throw invalidKey('must be one line with an ssh-ed25519 key');
  const blob = Buffer.from(encoded, 'base64');
  const bytes = blob.subarray(-keyBytes);
  if (blob.toString('base64') !== encoded || !blob.equals(sshBlob(bytes))) throw invalidKey('cannot be read');
  return bytes;
}

/** Returns a key as SSH encodes it: each of its two parts after its length. */
function sshBlob(bytes: Buffer): Buffer {
  return Buffer.concat([sshType, bytes].flatMap((part) => [lengthOf(part), part]));
}

function lengthOf({ length }: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

function keyIdOf(bytes: Buffer): string {
  return `SHA256:${createHash('sha256')
    .update(sshBlob(bytes))
    .digest('base64')
    .replace(/={0,2}$/, '')}`;
}

function invalidKey(problem: string): SignatureError {
  return new SignatureError('signature_invalid', problem);
}
