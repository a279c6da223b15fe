import * as z from 'zod';
import { defineCommand, releaseKey } from './definition.ts';
import { ifBusyField, noHooksField } from './deploy-fields.ts';
import { recoverOptions, releaseIdentity } from './release-fields.ts';
import { hookTimeoutField, logsField, stepTimeoutsField, timeoutField, waitOption } from './wait-fields.ts';
import { releaseAnswer } from './release-answer.ts';

export const uninstallRelease = defineCommand({
  summary: 'Uninstalls a release. The `release` of the answer has the status `uninstalled`.',
  method: 'uninstall',
  payload: z.object({
    ...releaseIdentity,
    timeout: timeoutField,
    wait: waitOption
      .optional()
      .describe(
        "Wait until all resources are gone. Helm's `watcher` and `legacy` mean true, `hookOnly` false. Default: true",
      ),
    ...recoverOptions,
    hookTimeout: hookTimeoutField,
    stepTimeouts: stepTimeoutsField,
    logs: logsField.describe('Send the lines that the containers of hooks write while they run. Default: false'),
    noHooks: noHooksField,
    ifBusy: ifBusyField,
    keepHistory: z.boolean().optional().describe('Keep the revisions, the newest one as `uninstalled`. Default: false'),
    ignoreNotFound: z.boolean().optional().describe('Succeed without a `release` if there is none. Default: false'),
    cascade: z
      .enum(['background', 'foreground', 'orphan'])
      .optional()
      .describe(
        'What happens to dependents of the deleted objects, such as pods: deleted later, deleted first, or kept. Default: `background`',
      ),
    dryRun: z.boolean().optional().describe('Return the release, and change nothing. Default: false'),
    description: z.string().optional().describe("Description of the uninstallation in the release's history"),
  }),
  answer: releaseAnswer.partial({ release: true }).extend({
    info: z.string().optional().describe('The resources that were kept due to their resource policy, as text'),
  }),
  plainField: 'release',
  changes: releaseKey,
});
