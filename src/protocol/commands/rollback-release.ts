import * as z from 'zod';
import { defineCommand, releaseKey } from './definition.ts';
import { applyOptions, dryRunField, ifBusyField, noHooksField } from './deploy-fields.ts';
import { field } from './field.ts';
import { releaseAnswer } from './release-answer.ts';
import { historyOptions, recoverOptions, releaseIdentity } from './release-fields.ts';
import { waitOptions } from './wait-fields.ts';

export const rollbackRelease = defineCommand({
  summary: 'Deploys an older revision of a release as a new one.',
  method: 'rollback',
  fields: {
    ...releaseIdentity,
    version: field(z.int().positive().optional().describe('The revision to roll back to. Default: the previous one')),
    ...waitOptions,
    ...historyOptions,
    ...applyOptions,
    ...recoverOptions,
    noHooks: noHooksField,
    ifBusy: ifBusyField,
    dryRun: dryRunField,
  },
  answer: releaseAnswer,
  plainField: 'release',
  changes: releaseKey,
  right: 'deploy',
  survives: true,
  line: {
    name: 'rollback',
    short: 'Roll back a release to an older revision',
    long: 'Roll back a release to an older revision, which becomes a new one. Without a revision, or with 0,\nto the one before the newest.',
    arguments: [
      { field: 'releaseName', kind: 'release', shown: '<RELEASE>' },
      { field: 'version', kind: 'revision', shown: '[REVISION]', isOptional: true },
    ],
    examples: ['podinfo -n demo', 'podinfo 3 --timeout 10m'],
  },
});
