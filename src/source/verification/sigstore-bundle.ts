import { createHash, X509Certificate } from 'node:crypto';
import * as z from 'zod';
import { stringAt } from '../../objects/fields.ts';
import { parseJson } from '../../protocol/json.ts';
import { cosignAnnotations, type CosignSignature, maxSignatureBytes } from './cosign.ts';

// The library for bundles reads any JSON: a list in place of a text would become a buffer of any
// length. So the types and sizes of a stranger's bundle are checked before.

const maxCertificateLength = 16 * 1024;
const maxTextLength = 16 * 1024;
const maxHashes = 64;
const maxEntries = 4;

const base64Schema = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .regex(/^[A-Za-z0-9+/_-]*={0,2}$/, 'must be base64');
/** A number that JSON has as a text, because it may be larger than a number of JavaScript. */
const integerSchema = z.union([
  z.string().regex(/^\d{1,19}$/, 'must be a number'),
  z.int().nonnegative().transform(String),
]);
const certificateSchema = z.object({ rawBytes: base64Schema(maxCertificateLength) });

/**
 * A checkpoint: lines of text, an empty line, and signatures. Names of those who have signed are
 * limited to what names of logs have.
 */
const checkpointSchema = z
  .string()
  .max(maxTextLength)
  .refine(
    (text) => namesOf(text).every((name) => /^[\w.:/@~%-]{1,255}$/.test(name)),
    'has a name that is not one of a log',
  );

function namesOf(checkpoint: string): string[] {
  return Array.from(checkpoint.matchAll(/\u2014 (\S*)/g), ([, name = '']) => name);
}

const entrySchema = z.object({
  logIndex: integerSchema.default('0'),
  logId: z.object({ keyId: base64Schema(100) }),
  kindVersion: z.object({ kind: z.string().max(50), version: z.string().max(50) }),
  integratedTime: integerSchema.default('0'),
  inclusionPromise: z.object({ signedEntryTimestamp: base64Schema(maxTextLength) }).nullish(),
  inclusionProof: z
    .object({
      logIndex: integerSchema.default('0'),
      rootHash: base64Schema(100),
      treeSize: integerSchema,
      hashes: z.array(base64Schema(100)).max(maxHashes).default([]),
      checkpoint: z.object({ envelope: checkpointSchema }),
    })
    .nullish(),
  canonicalizedBody: base64Schema(maxSignatureBytes),
});

const materialSchema = z.object({
  certificate: certificateSchema.nullish(),
  x509CertificateChain: z.object({ certificates: z.array(certificateSchema).min(1).max(10) }).nullish(),
  tlogEntries: z.array(entrySchema).max(maxEntries).default([]),
  timestampVerificationData: z
    .object({
      rfc3161Timestamps: z
        .array(z.object({ signedTimestamp: base64Schema(maxTextLength) }))
        .max(maxEntries)
        .default([]),
    })
    .nullish(),
});

const bundleSchema = z.object({
  mediaType: z.string().max(100),
  verificationMaterial: materialSchema.refine(
    ({ certificate, x509CertificateChain }) => [certificate, x509CertificateChain].filter(isPresent).length === 1,
    'has no certificate',
  ),
  dsseEnvelope: z.object({
    payload: base64Schema(maxSignatureBytes),
    payloadType: z.string().max(100),
    signatures: z.array(z.object({ sig: base64Schema(maxTextLength) })).length(1),
  }),
});

/** JSON of protobuf may have null for what is absent. */
function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The entry of the log of a signature of cosign before version 3. */
const promiseSchema = z.object({
  SignedEntryTimestamp: base64Schema(maxTextLength),
  Payload: z.object({
    body: base64Schema(maxSignatureBytes),
    integratedTime: integerSchema,
    logIndex: integerSchema,
    logID: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256'),
  }),
});

/**
 * Returns the JSON of the bundle of a signature without a key, with the fields of Sigstore's format
 * and nothing else. Throws an Error with the end of a sentence.
 */
export function bundleOf({ evidence, signed, signature }: CosignSignature): object {
  if ('bundle' in evidence) return checked(bundleSchema, evidence.bundle, 'its bundle');
  const certificate = stringAt(evidence.annotations, cosignAnnotations.certificate);
  const logEntry = stringAt(evidence.annotations, cosignAnnotations.logEntry);
  if (certificate === undefined) throw new Error('it has no certificate');
  if (logEntry === undefined) throw new Error('it has no entry of a log');
  const { SignedEntryTimestamp: signedEntryTimestamp, Payload: promised } = checked(
    promiseSchema,
    attempt(() => parseJson(logEntry)),
    'its entry of a log',
  );
  const body = attempt(() => parseJson(Buffer.from(promised.body, 'base64').toString()));
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.1',
    verificationMaterial: {
      x509CertificateChain: { certificates: [{ rawBytes: derOf(certificate) }] },
      tlogEntries: [
        {
          logIndex: promised.logIndex,
          logId: { keyId: Buffer.from(promised.logID, 'hex').toString('base64') },
          kindVersion: { kind: stringAt(body, 'kind') ?? '', version: stringAt(body, 'apiVersion') ?? '' },
          integratedTime: promised.integratedTime,
          inclusionPromise: { signedEntryTimestamp },
          canonicalizedBody: promised.body,
        },
      ],
    },
    messageSignature: {
      messageDigest: { algorithm: 'SHA2_256', digest: createHash('sha256').update(signed).digest('base64') },
      signature: signature.toString('base64'),
    },
  };
}

/** Returns a certificate in PEM as DER in base64. */
function derOf(pem: string): string {
  const certificate = pem.length <= maxCertificateLength ? attempt(() => new X509Certificate(pem)) : undefined;
  if (certificate === undefined) throw new Error('its certificate cannot be read');
  return certificate.raw.toString('base64');
}

function checked<Content>(schema: z.ZodType<Content>, content: unknown, what: string): Content {
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${what} cannot be read: ${(issue?.path ?? []).join('.')} ${issue?.message ?? ''}`);
}

function attempt<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
