import { createPublicKey, X509Certificate } from 'node:crypto';
import * as z from 'zod';
import { messageOf } from '../errors/index.ts';
import { parseJson } from '../protocol/json.ts';

const maxLength = 128 * 1024;

const certificateSchema = z
  .string()
  .refine((text) => isReadable(() => new X509Certificate(Buffer.from(text, 'base64'))), 'cannot be read');

const authoritySchema = z.object({
  certChain: z.object({ certificates: z.array(z.object({ rawBytes: certificateSchema })).min(1) }),
});

const logIdSchema = z.object({ keyId: z.string().min(1) });

const logSchema = z
  .object({
    baseUrl: z.string().min(1),
    publicKey: z.object({ rawBytes: z.string().min(1), keyDetails: z.string().min(1) }),
    logId: logIdSchema.optional(),
    checkpointKeyId: logIdSchema.optional(),
  })
  .refine(({ logId, checkpointKeyId }) => (logId ?? checkpointKeyId) !== undefined, 'has no logId')
  .refine(({ publicKey: { rawBytes, keyDetails } }) => {
    const type = /^PK(?:CS1|IX)_RSA_PKCS1V/.test(keyDetails) ? 'pkcs1' : 'spki';
    return isReadable(() => createPublicKey({ key: Buffer.from(rawBytes, 'base64'), format: 'der', type }));
  }, 'has a publicKey that cannot be read');

/** The fields that verification uses. Times are compared when a signature is verified. */
const rootSchema = z.object({
  mediaType: z
    .string()
    .regex(/^application\/vnd\.dev\.sigstore\.trustedroot[+.]/, 'is not that of a trusted_root.json'),
  certificateAuthorities: z.array(authoritySchema).min(1),
  ctlogs: z.array(logSchema).min(1),
  tlogs: z.array(logSchema).min(1),
  timestampAuthorities: z.array(authoritySchema).default([]),
});

/** The text of a `trusted_root.json` of Sigstore: authorities of certificates, and logs. */
export const trustedRootSchema = z
  .string()
  .max(maxLength)
  .superRefine((text, context) => {
    const problem = rootProblem(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

function rootProblem(text: string): string | undefined {
  let content: unknown;
  try {
    content = parseJson(text);
  } catch (error) {
    return messageOf(error);
  }
  const { error } = rootSchema.safeParse(content);
  const [issue] = error?.issues ?? [];
  return issue && `${issue.path.join('.')} ${issue.message}`.trim();
}

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
