import * as z from 'zod';
import { answerList } from '../bounded.ts';
import { releaseSchema } from '../release.ts';
import { defineCommand, releaseKey } from './definition.ts';
import { deployOptions } from './deploy-fields.ts';
import { field } from './field.ts';
import { releaseArgument, releaseIdentity, tillerNamespaceField } from './release-fields.ts';
import { timeoutField } from './wait-fields.ts';

export const adoptRelease = defineCommand({
  summary:
    'Stores the revisions of a release of Helm 2 as those of Helm 3 and 4. Objects are not changed, and the records of Helm 2 stay.',
  method: 'adopt',
  fields: {
    ...releaseIdentity,
    tillerNamespace: tillerNamespaceField,
    timeout: timeoutField,
    historyLimit: field(
      z.int().optional().describe('Number of revisions to adopt, the newest ones; -1 adopts all. Default: 10'),
      {
        name: 'history-max',
        kind: 'limit',
        help: 'number of revisions to take over, the newest ones; 0 for all (default: 10)',
      },
    ),
    storage: deployOptions.storage,
    dryRun: field(z.boolean().optional().describe('Return the revisions that would be stored. Default: false'), {
      name: 'dry-run',
      kind: 'switch',
      help: 'only show which revisions would be taken over',
    }),
  },
  answer: z.object({
    releases: answerList(releaseSchema).describe(
      'The revisions that were stored, the oldest first, without manifest, values and notes',
    ),
  }),
  plainField: 'releases',
  changes: releaseKey,
  right: 'deploy',
  survives: true,
  line: {
    name: 'adopt',
    short: 'Take over a release of Helm 2',
    arguments: [releaseArgument],
    examples: ['web -n shop --dry-run', 'web -n shop'],
  },
});
