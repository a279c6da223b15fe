import * as z from 'zod';
import { longText } from '../bounded.ts';
import { defineCommand } from './definition.ts';

export const getPolicy = defineCommand({
  summary: 'Returns the policy of the owner of the cluster that the agent has now. No command changes it.',
  method: 'getPolicy',
  fields: {},
  answer: z.object({
    policy: longText.optional().describe('The text of its file. Default: the agent has no policy'),
    sha256: longText.optional().describe('SHA-256 of the text, in hexadecimal, to compare agents'),
    paused: longText.optional().describe('Why the policy refuses all changes now, if it does'),
  }),
  plainField: 'policy',
  changes: () => undefined,
  right: 'read',
  isClusterWide: true,
  survives: false,
  line: {
    name: 'policy',
    short: 'Show the policy of the owner of the cluster',
    arguments: [],
    examples: [''],
  },
});
