import * as z from 'zod';
import { defineCommand, releaseKey } from './definition.ts';
import { chartSource } from './chart-fields.ts';
import { deployOptions } from './deploy-fields.ts';
import { historyOptions, releaseIdentity } from './release-fields.ts';
import { deployAnswer } from './release-answer.ts';

export const installRelease = defineCommand({
  summary: 'Installs a chart as a new release.',
  method: 'install',
  payload: z.object({
    ...releaseIdentity,
    ...chartSource,
    ...deployOptions,
    ...historyOptions,
    replace: z
      .boolean()
      .optional()
      .describe('Install over a release that failed, or was uninstalled with its history kept. Default: false'),
    upgrade: z.boolean().optional().describe('Upgrade the release if it exists. Default: false'),
  }),
  answer: deployAnswer,
  plainField: 'release',
  changes: releaseKey,
});
