import * as z from 'zod';
import { answerList } from '../bounded.ts';
import { chartArgument, chartSource, renderOptions, valuesFields } from './chart-fields.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';
import { difference } from './release-answer.ts';
import { releaseArgument, releaseIdentity } from './release-fields.ts';
import { timeoutField } from './wait-fields.ts';

export const diffRelease = defineCommand({
  summary: 'Returns what an upgrade, or the first installation, would change.',
  method: 'diff',
  fields: {
    ...releaseIdentity,
    ...chartSource,
    ...valuesFields,
    timeout: timeoutField,
    ...renderOptions,
    against: field(
      z
        .enum(['stored', 'live'])
        .optional()
        .describe(
          'Compare with the manifest of the deployed revision, or the live objects with what a dry run of the API server returns for the new ones. Default: `stored`',
        ),
      {
        name: 'live',
        kind: 'switch',
        value: 'live',
        help: 'compare with the objects in the cluster, by a dry run of the API server',
      },
    ),
  },
  answer: z.object({
    differences: answerList(difference).describe('The objects that differ, without hooks'),
    unchanged: z.int().describe('Number of objects that stay as they are'),
  }),
  plainField: 'differences',
  changes: () => undefined,
  right: 'read',
  survives: false,
  line: {
    name: 'diff',
    short: 'Show what an upgrade would change',
    arguments: [releaseArgument, chartArgument],
    examples: ['web web --set replicas=3', 'web web --live'],
  },
});
