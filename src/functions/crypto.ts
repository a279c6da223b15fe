import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createHash, createHmac, scryptSync } from 'node:crypto';
import { encodeBase64, hashSync } from 'bcryptjs';
import type { Host } from '../go/host.ts';
import { byteLength, fromBytes, toBytes } from '../go/text.ts';
import { GoError, type GoFunction, type Int } from '../go/value.ts';
import { decodeBase64 } from './support/base64.ts';
import type { FunctionFamily } from './support/family.ts';

const bcryptCost = 10;
const longestPassword = 72;

/** Sprig's password hashes and derived passwords. */
export function passwordFunctions(host: Host): FunctionFamily {
  const bcrypt = (password: string): string => {
    if (byteLength(password) > longestPassword) {
      return 'failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes';
    }
    const salt = encodeBase64(Array.from(host.randomBytes(16)), 16);
    return hashSync(password, `$2a$${bcryptCost}$${salt}`);
  };
  return {
    bcrypt: { params: ['string'], call: bcrypt },
    htpasswd: {
      params: ['string', 'string'],
      call: (user: string, password: string) =>
        user.includes(':') ? `invalid username: ${user}` : `${user}:${bcrypt(password)}`,
    },
    derivePassword: { params: ['uint32', 'string', 'string', 'string', 'string'], call: derivePassword },
  };
}

const seedPrefix = 'com.lyndir.masterpassword';

const templates: ReadonlyMap<string, readonly string[]> = new Map([
  ['maximum', ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno']],
  [
    'long',
    [
      'CvcvnoCvcvCvcv',
      'CvcvCvcvnoCvcv',
      'CvcvCvcvCvcvno',
      'CvccnoCvcvCvcv',
      'CvccCvcvnoCvcv',
      'CvccCvcvCvcvno',
      'CvcvnoCvccCvcv',
      'CvcvCvccnoCvcv',
      'CvcvCvccCvcvno',
      'CvcvnoCvcvCvcc',
      'CvcvCvcvnoCvcc',
      'CvcvCvcvCvccno',
      'CvccnoCvccCvcv',
      'CvccCvccnoCvcv',
      'CvccCvccCvcvno',
      'CvcvnoCvccCvcc',
      'CvcvCvccnoCvcc',
      'CvcvCvccCvccno',
      'CvccnoCvcvCvcc',
      'CvccCvcvnoCvcc',
      'CvccCvcvCvccno',
    ],
  ],
  ['medium', ['CvcnoCvc', 'CvcCvcno']],
  ['short', ['Cvcn']],
  ['basic', ['aaanaaan', 'aannaaan', 'aaannaaa']],
  ['pin', ['nnnn']],
]);

const vowels = 'AEIOU';
const consonants = 'BCDFGHJKLMNPQRSTVWXYZ';
const letters = vowels + vowels.toLowerCase() + consonants + consonants.toLowerCase();

const characterClasses: ReadonlyMap<string, string> = new Map([
  ['V', vowels],
  ['C', consonants],
  ['v', vowels.toLowerCase()],
  ['c', consonants.toLowerCase()],
  ['A', vowels + consonants],
  ['a', letters],
  ['n', '0123456789'],
  ['o', "@&%?,=[]_:-+*$#!'^~;()/."],
  ['x', `${letters}0123456789!@#$%^&*()`],
]);

/** The Master Password algorithm: derives a password for a site from a master password. */
function derivePassword(counter: Int, kind: string, password: string, user: string, site: string): string {
  const choices = templates.get(kind);
  if (choices === undefined) return `cannot find password template ${kind}`;
  const salt = Buffer.concat([Buffer.from(seedPrefix), sized(user)]);
  const key = scryptSync(toBytes(password), salt, 64, { N: 32_768, r: 8, p: 2, maxmem: 128 * 1024 * 1024 });
  const message = Buffer.concat([Buffer.from(seedPrefix), sized(site), uint32(Number(counter.value))]);
  const seed = createHmac('sha256', key).update(message).digest();
  const template = choices[seed.readUInt8(0) % choices.length] ?? '';
  return Array.from(template, (letter, i) => {
    const characters = characterClasses.get(letter) ?? '';
    return characters.charAt(seed.readUInt8(i + 1) % characters.length);
  }).join('');
}

function sized(text: string): Buffer {
  const bytes = toBytes(text);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
}

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

/** Sprig's checksums of strings. */
export const digestFunctions: FunctionFamily = {
  sha1sum: hexDigest('sha1'),
  sha256sum: hexDigest('sha256'),
  sha512sum: hexDigest('sha512'),
  adler32sum: { params: ['string'], call: (text: string) => String(adler32(toBytes(text))) },
};

function hexDigest(algorithm: string): GoFunction {
  return { params: ['string'], call: (text: string) => createHash(algorithm).update(toBytes(text)).digest('hex') };
}

function adler32(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return b * 65536 + a;
}
