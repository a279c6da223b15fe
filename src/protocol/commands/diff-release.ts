import * as z from 'zod';
import { defineCommand } from './definition.ts';
import { chartSource, renderOptions, valuesFields } from './chart-fields.ts';
import { releaseIdentity } from './release-fields.ts';
import { timeoutField } from './wait-fields.ts';
import { difference } from './release-answer.ts';

export const diffRelease = defineCommand({
  summary: 'Returns what an upgrade, or the first installation, would change.',
  method: 'diff',
  payload: z.object({
    ...releaseIdentity,
    ...chartSource,
    ...valuesFields,
    timeout: timeoutField,
    ...renderOptions,
    against: z
      .enum(['stored', 'live'])
      .optional()
      .describe(
        'Compare with the manifest of the deployed revision, or the live objects with what a dry run of the API server returns for the new ones. Default: `stored`',
      ),
  }),
  answer: z.object({
    differences: z.array(difference).describe('The objects that differ, without hooks'),
    unchanged: z.int().describe('Number of objects that stay as they are'),
  }),
  plainField: 'differences',
  changes: () => undefined,
});
