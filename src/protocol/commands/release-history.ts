import * as z from 'zod';
import { answerList } from '../bounded.ts';
import { releaseSchema } from '../release.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';
import { releaseArgument, releaseIdentity, unreadableField } from './release-fields.ts';

export const releaseHistory = defineCommand({
  summary: 'Lists the revisions of a release, without manifest, values and notes.',
  method: 'history',
  fields: {
    ...releaseIdentity,
    max: field(z.int().positive().optional().describe('Largest number of revisions, the newest ones. Default: 256'), {
      name: 'max',
      kind: 'number',
      default: 256,
      help: 'largest number of revisions, the newest ones',
    }),
  },
  answer: z.object({
    releases: answerList(releaseSchema).describe('The revisions, the oldest first'),
    unreadable: unreadableField,
  }),
  plainField: 'releases',
  changes: () => undefined,
  right: 'read',
  survives: false,
  line: {
    name: 'history',
    aliases: ['hist'],
    short: 'List the revisions of a release',
    arguments: [releaseArgument],
    examples: ['podinfo -n demo', 'podinfo -n demo -o json'],
  },
});
