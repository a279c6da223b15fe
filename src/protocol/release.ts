import * as z from 'zod';
import { answerList, boundedRecord, longText } from './bounded.ts';
import { maxAnswerItems } from './limits.ts';

const chartMetadataSchema = z
  .looseObject({
    name: longText.optional(),
    version: longText.optional().describe('Version of the chart'),
    appVersion: longText.optional().describe('Version of the application in the chart'),
  })
  .describe('The content of Chart.yaml');

/**
 * A revision of a release as Helm's JSON has it. Fields that are not listed are passed on as they
 * are.
 */
export const releaseSchema = z
  .looseObject({
    name: longText,
    namespace: longText,
    version: z.int().describe('The revision, from 1'),
    info: z.looseObject({
      status: longText.describe('`deployed`, `failed`, `superseded`, `uninstalled`, `pending-install` and so on'),
      description: longText.optional(),
      first_deployed: longText.optional().describe('Time of the first revision, in RFC 3339'),
      last_deployed: longText.optional().describe('Time of this revision, in RFC 3339'),
      deleted: longText.optional().describe('Time of the uninstallation, in RFC 3339; empty if there was none'),
      notes: longText.optional().describe('The rendered NOTES.txt'),
    }),
    chart: z.looseObject({ metadata: chartMetadataSchema.nullish() }).optional(),
    config: boundedRecord(longText, z.unknown(), maxAnswerItems).nullish().describe('The values that the user gave'),
    manifest: longText.optional().describe('All objects except hooks, as YAML documents'),
    hooks: answerList(z.unknown()).nullish().describe("The chart's hooks"),
  })
  .describe("One revision of a release, as Helm's JSON");

export type Release = z.output<typeof releaseSchema>;
