import { z } from 'zod';
import { defineCommand, releaseKey } from './definition.ts';
import { releaseIdentity, timeoutField } from './fields.ts';
import { releaseAnswer } from './release-answer.ts';

export const uninstallRelease = defineCommand({
  summary: 'Uninstalls a release. The `release` of the answer has the status `uninstalled`.',
  method: 'uninstall',
  payload: z.object({
    ...releaseIdentity,
    timeout: timeoutField,
    wait: z.boolean().optional().describe('Wait until all resources are gone. Default: true'),
    description: z.string().optional().describe("Description of the uninstallation in the release's history"),
  }),
  answer: releaseAnswer.extend({
    info: z.string().optional().describe('The resources that were kept due to their resource policy, as text'),
  }),
  plainField: 'release',
  changes: releaseKey,
});
