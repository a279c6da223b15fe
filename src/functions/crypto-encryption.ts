import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Host } from '../go/host.ts';
import { fromBytes, toBytes } from '../go/text.ts';
import { GoError } from '../go/value.ts';
import { decodeBase64 } from './support/base64.ts';
import type { FunctionFamily } from './support/family.ts';

const cipher = 'aes-256-cbc';
const blockSize = 16;
const keySize = 32;

/**
 * Sprig's AES-256-CBC. The password is the key; the result is base64 of the initialization vector
 * and the ciphertext.
 */
export function encryptionFunctions(host: Host): FunctionFamily {
  return {
    encryptAES: {
      params: ['string', 'string'],
      call: (password: string, text: string) => {
        if (text === '') return '';
        const vector = host.randomBytes(blockSize);
        const encryption = createCipheriv(cipher, keyOf(password), vector);
        return Buffer.concat([vector, encryption.update(toBytes(text)), encryption.final()]).toString('base64');
      },
    },
    decryptAES: { params: ['string', 'string'], call: decryptAes },
  };
}

/** Returns the password's bytes, truncated or zero-padded to the key size. */
function keyOf(password: string): Uint8Array {
  const key = new Uint8Array(keySize);
  key.set(toBytes(password).subarray(0, keySize));
  return key;
}

function decryptAes(password: string, encrypted: string): string {
  if (encrypted === '') return '';
  const bytes = decodeBase64(encrypted);
  const capacity = Math.floor(encrypted.length / 4) * 3;
  if (capacity < blockSize) throw outOfRange(`[:${blockSize}] with capacity ${capacity}`);
  if (bytes.length < blockSize) throw outOfRange(`[${blockSize}:${bytes.length}]`);
  if (bytes.length % blockSize !== 0) throw new GoError('crypto/cipher: input not full blocks');
  if (bytes.length === blockSize) throw new GoError('runtime error: index out of range [-1]');
  const decryption = createDecipheriv(cipher, keyOf(password), bytes.subarray(0, blockSize)).setAutoPadding(false);
  const padded = Buffer.concat([decryption.update(bytes.subarray(blockSize)), decryption.final()]);
  const length = padded.length - padded.readUInt8(padded.length - 1);
  if (length < 0) throw outOfRange(`[:${length}]`);
  return fromBytes(new Uint8Array(padded.subarray(0, length)));
}

function outOfRange(range: string): GoError {
  return new GoError(`runtime error: slice bounds out of range ${range}`);
}
