import * as z from 'zod';

const chartMetadataSchema = z
  .looseObject({
    name: z.string().optional(),
    version: z.string().optional().describe('Version of the chart'),
    appVersion: z.string().optional().describe('Version of the application in the chart'),
  })
  .describe('The content of Chart.yaml');

/**
 * A revision of a release as Helm's JSON has it. Fields that are not listed are passed on as they
 * are.
 */
export const releaseSchema = z
  .looseObject({
    name: z.string(),
    namespace: z.string(),
    version: z.int().describe('The revision, from 1'),
    info: z.looseObject({
      status: z.string().describe('`deployed`, `failed`, `superseded`, `uninstalled`, `pending-install` and so on'),
      description: z.string().optional(),
      first_deployed: z.string().optional().describe('Time of the first revision, in RFC 3339'),
      last_deployed: z.string().optional().describe('Time of this revision, in RFC 3339'),
      deleted: z.string().optional().describe('Time of the uninstallation, in RFC 3339; empty if there was none'),
      notes: z.string().optional().describe('The rendered NOTES.txt'),
    }),
    chart: z.looseObject({ metadata: chartMetadataSchema.nullish() }).optional(),
    config: z.record(z.string(), z.unknown()).nullish().describe('The values that the user gave'),
    manifest: z.string().optional().describe('All objects except hooks, as YAML documents'),
    hooks: z.array(z.unknown()).nullish().describe("The chart's hooks"),
  })
  .describe("One revision of a release, as Helm's JSON");

export type Release = z.output<typeof releaseSchema>;
