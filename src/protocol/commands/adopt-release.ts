import * as z from 'zod';
import { releaseSchema } from '../release.ts';
import { defineCommand, releaseKey } from './definition.ts';
import { deployOptions } from './deploy-fields.ts';
import { releaseIdentity, tillerNamespaceField } from './release-fields.ts';
import { timeoutField } from './wait-fields.ts';

export const adoptRelease = defineCommand({
  summary:
    'Stores the revisions of a release of Helm 2 as those of Helm 3 and 4. Objects are not changed, and the records of Helm 2 stay.',
  method: 'adopt',
  payload: z.object({
    ...releaseIdentity,
    tillerNamespace: tillerNamespaceField,
    timeout: timeoutField,
    historyLimit: z
      .int()
      .optional()
      .describe('Number of revisions to adopt, the newest ones; -1 adopts all. Default: 10'),
    storage: deployOptions.storage,
    dryRun: z.boolean().optional().describe('Return the revisions that would be stored. Default: false'),
  }),
  answer: z.object({
    releases: z
      .array(releaseSchema)
      .describe('The revisions that were stored, the oldest first, without manifest, values and notes'),
  }),
  plainField: 'releases',
  changes: releaseKey,
});
