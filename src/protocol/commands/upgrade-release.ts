import * as z from 'zod';
import { defineCommand, releaseKey } from './definition.ts';
import { chartSource } from './chart-fields.ts';
import { deployOptions } from './deploy-fields.ts';
import { historyOptions, releaseIdentity } from './release-fields.ts';
import { deployAnswer } from './release-answer.ts';

export const upgradeRelease = defineCommand({
  summary: 'Upgrades a release. Without `values` and `set`, the values of the deployed revision stay.',
  method: 'upgrade',
  payload: z.object({ ...releaseIdentity, ...chartSource, ...deployOptions, ...historyOptions }),
  answer: deployAnswer,
  plainField: 'release',
  changes: releaseKey,
});
