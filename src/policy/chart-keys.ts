import { createPublicKey, type KeyObject } from 'node:crypto';
import * as z from 'zod';
import { messageOf } from '../errors/index.ts';
import { printableSchema } from '../protocol/printable.ts';
import { bytesOfKey, publicKeyOf } from '../signatures/public-key.ts';
import { trustedRootSchema } from './trusted-root.ts';

const maxKeys = 50;
const maxNameLength = 100;
const maxPemLength = 4096;
const maxNamesLength = 512;
const maxKeyringLength = 256 * 1024;
const leastRsaBits = 2048;

const nameSchema = printableSchema(maxNameLength).min(1);

const publicKeySchema = z
  .string()
  .max(maxPemLength)
  .superRefine((text, context) => {
    try {
      requireKey(text.trim());
    } catch (error) {
      context.addIssue({ code: 'custom', message: messageOf(error) });
    }
  });

const keyringSchema = z
  .string()
  .max(maxKeyringLength)
  .refine(
    (text) => /^(?:-----BEGIN PGP PUBLIC KEY BLOCK-----|[A-Za-z0-9+/=\s]+$)/.test(text.trimStart()),
    'must be what gpg --export KEY prints, with --armor or in base64',
  );

/** Keys that a certificate names, of signatures that cosign makes without a key of its own. */
const keylessSchema = z.strictObject({
  /** Who has checked the identity: a URL, as the certificate has it. */
  issuer: z
    .string()
    .max(maxNamesLength)
    .regex(/^https?:\/\/[\x21-\x7e]+$/, 'must be a URL, such as https://token.actions.githubusercontent.com'),
  /** Pattern of a URL or an address of mail, in which `*` is any text. */
  identity: z
    .string()
    .max(maxNamesLength)
    .regex(/^[\x21-\x7e]+$/, 'must be a URL or an address of mail')
    .regex(/^(?:[^*]|\*@[\w.-]+$)/, 'must not begin with *, except for all addresses of a domain: *@example.com'),
  /** JSON text of a `trusted_root.json` of Sigstore. */
  trustedRoot: trustedRootSchema,
});

/** The keys whose signatures of charts count, each in one of three forms. */
export const chartKeysSchema = z
  .array(
    z
      .strictObject({
        /** For rules, errors and results. */
        name: nameSchema,
        /** In PEM, of cosign. */
        publicKey: publicKeySchema.optional(),
        /** OpenPGP keys, of provenance files. */
        keyring: keyringSchema.optional(),
        /** Of cosign without a key. */
        keyless: keylessSchema.optional(),
      })
      .refine(
        ({ publicKey, keyring, keyless }) =>
          [publicKey, keyring, keyless].filter((form) => form !== undefined).length === 1,
        'must have one of publicKey, keyring and keyless',
      ),
  )
  .max(maxKeys)
  .superRefine((keys, context) => {
    keys.forEach(({ name }, index) => {
      if (keys.findIndex((other) => other.name === name) === index) return;
      context.addIssue({ code: 'custom', message: `another key is named ${name}`, path: [index, 'name'] });
    });
  });

export type PolicyChartKey = z.output<typeof chartKeysSchema>[number];

/** The signatures that charts must have. */
export const verifySchema = z.strictObject({
  /** `if-present`: only a chart that has a signature must have a valid one. */
  mode: z.enum(['always', 'if-present'], { error: 'must be always or if-present' }).default('always'),
  /** Names of the keys that count. Default: all. */
  keys: z.array(nameSchema).min(1).max(maxKeys).optional(),
});

type Verify = z.output<typeof verifySchema>;

/** Returns what is wrong with the keys of a rule. */
export function verifyProblem({ keys: names }: Verify, keys: readonly PolicyChartKey[]): string | undefined {
  if (keys.length === 0) return 'needs chartKeys, which the policy does not have';
  const unknown = names?.find((name) => !keys.some((key) => key.name === name));
  return unknown === undefined ? undefined : `there is no key ${unknown} in chartKeys`;
}

/** Throws an Error with the end of a sentence for a text that is not a key for signatures. */
function requireKey(text: string): void {
  if (!/^-----BEGIN PUBLIC KEY-----\r?\n[A-Za-z0-9+/=\s]*-----END PUBLIC KEY-----$/.test(text)) {
    throw new Error('must be a public key in PEM: -----BEGIN PUBLIC KEY-----');
  }
  let key: KeyObject;
  try {
    key = createPublicKey(text);
  } catch {
    throw new Error('cannot be read');
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0, namedCurve } = {} } = key;
  if (type === 'ed25519')
    publicKeyOf(bytesOfKey(key)); // refuses weak keys
  else if (!(type === 'ec' && namedCurve === 'prime256v1') && !(type === 'rsa' && modulusLength >= leastRsaBits)) {
    throw new Error(`must be an ECDSA key on P-256, an Ed25519 key, or an RSA key of at least ${leastRsaBits} bits`);
  }
}
