import * as z from 'zod';
import { releaseSchema } from '../release.ts';
import { defineCommand } from './definition.ts';
import { releaseIdentity } from './release-fields.ts';

export const releaseHistory = defineCommand({
  summary: 'Lists the revisions of a release, without manifest, values and notes.',
  method: 'history',
  payload: z.object({
    ...releaseIdentity,
    max: z.int().positive().optional().describe('Largest number of revisions, the newest ones. Default: 256'),
  }),
  answer: z.object({ releases: z.array(releaseSchema).describe('The revisions, the oldest first') }),
  plainField: 'releases',
  changes: () => undefined,
});
