import * as z from 'zod';
import { longText } from '../bounded.ts';
import { defineCommand } from './definition.ts';

export const getSealingKey = defineCommand({
  summary:
    'Returns the public key of the agent to which values can be sealed, and makes it if there is none. Believe it only with the signature of the result, or if its fingerprint is known.',
  method: 'getSealingKey',
  fields: {},
  answer: z.object({
    sealingKey: longText.describe('The key, as a line: its type, and its bytes in base64'),
    keyId: longText.describe('Its fingerprint: `SHA256:` and 43 characters of base64'),
    created: longText.describe('Time in RFC 3339 at which it was made'),
    previousKeyId: longText
      .optional()
      .describe('The key before: texts that are sealed to it can be opened until the next one is replaced'),
  }),
  plainField: 'sealingKey',
  changes: () => undefined,
  right: 'read',
  survives: false,
  asAgent: true,
  line: {
    name: 'sealing-key',
    short: 'Print the public key of an agent to which values can be sealed',
    arguments: [],
    examples: [''],
  },
});
