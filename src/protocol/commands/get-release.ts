import * as z from 'zod';
import { defineCommand } from './definition.ts';
import { releaseIdentity, revisionField } from './release-fields.ts';
import { releaseAnswer } from './release-answer.ts';

export const getRelease = defineCommand({
  summary: 'Returns one revision of a release.',
  method: 'get',
  payload: z.object({
    ...releaseIdentity,
    version: revisionField,
    allValues: z
      .boolean()
      .optional()
      .describe("Also return `values`: the chart's defaults under the user's values. Default: false"),
  }),
  answer: releaseAnswer.extend({
    labels: z.record(z.string(), z.string()).optional().describe('All labels of the stored revision'),
    values: z.record(z.string(), z.unknown()).optional().describe('The values, if `allValues` asks for them'),
  }),
  plainField: 'release',
  changes: () => undefined,
});
