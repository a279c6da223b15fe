import { z } from 'zod';
import { defineCommand } from './definition.ts';
import { releaseIdentity } from './fields.ts';
import { releaseAnswer } from './release-answer.ts';

export const getRelease = defineCommand({
  summary: 'Returns one revision of a release.',
  method: 'get',
  payload: z.object({
    ...releaseIdentity,
    version: z.int().positive().optional().describe('The revision. Default: the newest'),
  }),
  answer: releaseAnswer,
  plainField: 'release',
  changes: () => undefined,
});
