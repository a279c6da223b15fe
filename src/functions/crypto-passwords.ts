import { Buffer } from 'node:buffer';
import { createHmac, scryptSync } from 'node:crypto';
import { encodeBase64, hashSync } from 'bcryptjs';
import type { Host } from '../go/host.ts';
import { byteLength, toBytes } from '../go/text.ts';
import type { Int } from '../go/value.ts';
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
