import * as z from 'zod';
import { defineCommand, releaseKey } from './definition.ts';
import { applyOptions, dryRunField, ifBusyField, noHooksField } from './deploy-fields.ts';
import { historyOptions, recoverOptions, releaseIdentity } from './release-fields.ts';
import { waitOptions } from './wait-fields.ts';
import { releaseAnswer } from './release-answer.ts';

export const rollbackRelease = defineCommand({
  summary: 'Deploys an older revision of a release as a new one.',
  method: 'rollback',
  payload: z.object({
    ...releaseIdentity,
    version: z.int().positive().optional().describe('The revision to roll back to. Default: the previous one'),
    ...waitOptions,
    ...historyOptions,
    ...applyOptions,
    ...recoverOptions,
    noHooks: noHooksField,
    ifBusy: ifBusyField,
    dryRun: dryRunField,
  }),
  answer: releaseAnswer,
  plainField: 'release',
  changes: releaseKey,
});
