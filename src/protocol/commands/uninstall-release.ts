import * as z from 'zod';
import { line, longText } from '../bounded.ts';
import { defineCommand, releaseKey } from './definition.ts';
import { ifBusyField, noHooksField } from './deploy-fields.ts';
import { field, withSchema } from './field.ts';
import { releaseAnswer } from './release-answer.ts';
import { recoverOptions, releaseArgument, releaseIdentity } from './release-fields.ts';
import {
  hookTimeoutField,
  logsField,
  stepTimeoutsField,
  timeoutField,
  timeoutScopeField,
  waitOption,
} from './wait-fields.ts';

export const uninstallRelease = defineCommand({
  summary: 'Uninstalls a release. The `release` of the answer has the status `uninstalled`.',
  method: 'uninstall',
  fields: {
    ...releaseIdentity,
    timeout: timeoutField,
    timeoutScope: timeoutScopeField,
    wait: field(
      waitOption
        .optional()
        .describe(
          "Wait until all resources are gone. Helm's `watcher` and `legacy` mean true, `hookOnly` false. Default: true",
        ),
      {
        name: 'wait',
        kind: 'wait',
        helmDefault: 'hookOnly',
        help: 'wait until all resources are deleted (default); hookOnly waits for hooks only',
      },
    ),
    ...recoverOptions,
    hookTimeout: hookTimeoutField,
    stepTimeouts: stepTimeoutsField,
    logs: withSchema(
      logsField,
      logsField.schema.describe('Send the lines that the containers of hooks write while they run. Default: false'),
    ),
    noHooks: noHooksField,
    ifBusy: ifBusyField,
    keepHistory: field(
      z.boolean().optional().describe('Keep the revisions, the newest one as `uninstalled`. Default: false'),
      { name: 'keep-history', kind: 'switch', help: 'keep the revisions' },
    ),
    ignoreNotFound: field(
      z.boolean().optional().describe('Succeed without a `release` if there is none. Default: false'),
      { name: 'ignore-not-found', kind: 'switch', help: 'succeed if there is no such release' },
    ),
    cascade: field(
      z
        .enum(['background', 'foreground', 'orphan'])
        .optional()
        .describe(
          'What happens to dependents of the deleted objects, such as pods: deleted later, deleted first, or kept. Default: `background`',
        ),
      {
        name: 'cascade',
        kind: 'choice',
        choices: { background: 'background', foreground: 'foreground', orphan: 'orphan' },
        initial: 'background',
        refusal: 'invalid cascade value (%s). Must be "background", "foreground", or "orphan"',
        help: 'background, foreground or orphan: when the pods of an object are deleted',
      },
    ),
    dryRun: field(z.boolean().optional().describe('Return the release, and change nothing. Default: false'), {
      name: 'dry-run',
      kind: 'switch',
      help: 'change nothing',
    }),
    description: field(line.optional().describe("Description of the uninstallation in the release's history"), {
      name: 'description',
      kind: 'text',
      help: 'description of the uninstallation, for a history that is kept',
    }),
  },
  answer: releaseAnswer.partial({ release: true }).extend({
    info: longText.optional().describe('The resources that were kept due to their resource policy, as text'),
  }),
  plainField: 'release',
  changes: releaseKey,
  right: 'deploy',
  survives: true,
  line: {
    name: 'uninstall',
    aliases: ['del', 'delete', 'un'],
    short: 'Uninstall releases',
    arguments: [releaseArgument],
    repeats: true,
    examples: ['podinfo -n demo', 'web shop --wait', 'web --keep-history'],
  },
});
