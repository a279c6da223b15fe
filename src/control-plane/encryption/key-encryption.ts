import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { messageOf } from '../../errors/index.ts';
import { readBoundedFile } from '../bounded-file.ts';

/**
 * Encrypts the keys with which the data of a control plane is encrypted, with a key that is not in
 * its store: one from a file (`openEncryptionKeys`), or one of a key management service.
 */
export interface KeyEncryption {
  /** Id of the key that `encrypt` uses. It is stored with what it encrypts. */
  readonly currentKeyId: string;
  /** Returns an encrypted key of the data. */
  encrypt(dataKey: Uint8Array): Promise<Uint8Array>;
  /** Returns a key of the data that `encrypt` encrypted. Rejects if the key is not available. */
  decrypt(keyId: string, encrypted: Uint8Array): Promise<Uint8Array>;
}

/** A file of keys that cannot be used. */
export class EncryptionKeysError extends Error {
  override readonly name = 'EncryptionKeysError';
}

/** Number of bytes of a key of AES-256. */
export const keyBytes = 32;

/** Number of bytes that make each encryption with a key different, as GCM needs. */
const ivBytes = 12;
const tagBytes = 16;

const maxFileBytes = 64 * 1024;
const maxKeys = 100;

/** Encrypts with AES-256-GCM. `place` is not encrypted, and must be the same for `decrypt`. */
export function encryptBytes(key: Uint8Array, bytes: Uint8Array, place: string): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(place));
  return Buffer.concat([iv, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts what `encryptBytes` returned. Throws if the key or the place is another one. */
export function decryptBytes(key: Uint8Array, encrypted: Uint8Array, place: string): Buffer {
  const end = encrypted.length - tagBytes;
  if (end < ivBytes) throw new Error('it is too short');
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, ivBytes), { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(place)).setAuthTag(encrypted.subarray(end));
  return Buffer.concat([decipher.update(encrypted.subarray(ivBytes, end)), decipher.final()]);
}

/**
 * Reads a file with keys: one in each line, 32 bytes in base64, as `openssl rand -base64 32` writes
 * them. The first one encrypts; the others are for data of before. Empty lines and lines that begin
 * with `#` are ignored. Rejects with `EncryptionKeysError`.
 */
export async function openEncryptionKeys(path: string): Promise<KeyEncryption> {
  const text = await readBoundedFile(path, maxFileBytes).catch((error: unknown) => {
    throw new EncryptionKeysError(`cannot read the encryption keys in ${path}: ${messageOf(error)}`);
  });
  const lines = text.split('\n').map((line, index) => ({ text: line.trim(), number: index + 1 }));
  const keys = lines.filter((line) => line.text !== '' && !line.text.startsWith('#')).map(keyOf);
  const [current] = keys;
  if (!current) throw new EncryptionKeysError(`${path} has no key; write one with: openssl rand -base64 32`);
  if (keys.length > maxKeys) throw new EncryptionKeysError(`${path} has more than ${maxKeys} keys`);
  const byId = new Map(keys.map((key) => [idOf(key), key]));
  return {
    currentKeyId: idOf(current),
    encrypt: (dataKey) => Promise.resolve(encryptBytes(current, dataKey, place)),
    async decrypt(keyId, encrypted) {
      const key = byId.get(keyId);
      if (!key) throw new EncryptionKeysError(`${path} does not have the key ${keyId}; add it as a further line`);
      return Promise.resolve(decryptBytes(key, encrypted, place));
    },
  };

  function keyOf({ text, number }: { text: string; number: number }): Buffer {
    const key = Buffer.from(text, 'base64');
    if (key.length === keyBytes && key.toString('base64') === text) return key;
    throw new EncryptionKeysError(`line ${number} of ${path} must be a key: 32 bytes in base64`);
  }
}

const place = 'helm-agent data key';

/** Returns an id that says nothing about the key. */
function idOf(key: Uint8Array): string {
  return createHash('sha256').update('helm-agent encryption key\0').update(key).digest('hex').slice(0, 16);
}
