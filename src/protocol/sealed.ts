import * as z from 'zod';
import { longText, objectName } from './bounded.ts';

/** The use of a sealed text. A text for one of them cannot be opened for another. */
const sealedPurposes = ['values', 'credentials'] as const;

/** Base64, with the usual alphabet, as `seal` writes it. */
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * A text that only one agent can read, for one release (RFC 9180). The agent compares what it is
 * for with the command itself; the fields here are for people.
 */
export const sealedSchema = z.object({
  keyId: z
    .string()
    .max(64)
    .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'must be SHA256: and the fingerprint of a key')
    .describe('Fingerprint of the sealing key of the agent'),
  agentId: objectName.describe('Id of the agent'),
  namespace: objectName.describe('Namespace of the release'),
  releaseName: objectName.describe('Name of the release'),
  purpose: z.enum(sealedPurposes).describe('What the text is for'),
  enc: z.string().length(44).regex(base64, 'must be base64').describe('The encapsulated key, in base64'),
  ciphertext: longText.regex(base64, 'must be base64').describe('The encrypted text, in base64'),
});

export type Sealed = z.output<typeof sealedSchema>;
