import * as z from 'zod';
import { boundedRecord, longText } from '../bounded.ts';
import { maxAnswerItems } from '../limits.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';
import { releaseAnswer } from './release-answer.ts';
import { releaseIdentity, revisionField } from './release-fields.ts';

export const getRelease = defineCommand({
  summary: 'Returns one revision of a release.',
  method: 'get',
  fields: {
    ...releaseIdentity,
    version: revisionField,
    allValues: field(
      z
        .boolean()
        .optional()
        .describe("Also return `values`: the chart's defaults under the user's values. Default: false"),
      { name: 'all', short: 'a', kind: 'switch', help: "print the chart's defaults, too" },
    ),
  },
  answer: releaseAnswer.extend({
    labels: boundedRecord(longText, longText, maxAnswerItems).optional().describe('All labels of the stored revision'),
    values: boundedRecord(longText, z.unknown(), maxAnswerItems)
      .optional()
      .describe('The values, if `allValues` asks for them'),
  }),
  plainField: 'release',
  changes: () => undefined,
  right: 'read',
  survives: false,
});
