import { z } from 'zod';
import { releaseSchema } from '../release.ts';

/** The answer of the commands that return one release. */
export const releaseAnswer = z.object({
  release: releaseSchema,
  omitted: z.array(z.string()).optional().describe('The fields that the packet had no room for'),
});

/** The answer of the commands that deploy a chart. */
export const deployAnswer = releaseAnswer.extend({
  unchanged: z
    .boolean()
    .optional()
    .describe('True if `unchanged: "skip"` has left the deployed revision as it is; `release` is that revision'),
});
