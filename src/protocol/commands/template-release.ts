import * as z from 'zod';
import { defineCommand } from './definition.ts';
import { chartSource, renderOptions, valuesOnly } from './chart-fields.ts';
import { noHooksField } from './deploy-fields.ts';
import { releaseIdentity } from './release-fields.ts';
import { timeoutField } from './wait-fields.ts';

export const templateRelease = defineCommand({
  summary: "Renders a chart with the cluster's capabilities and objects, and changes nothing.",
  method: 'template',
  payload: z.object({
    ...releaseIdentity,
    ...chartSource,
    ...valuesOnly,
    timeout: timeoutField,
    ...renderOptions,
    noHooks: noHooksField.describe('Leave hooks out. Default: false'),
    skipTests: z.boolean().optional().describe('Leave test hooks out. Default: false'),
    includeCrds: z
      .boolean()
      .optional()
      .describe('Put the files of the `crds/` folders first, as they are. Default: false'),
    hideSecret: z.boolean().optional().describe('Leave Secrets out. Default: false'),
    isUpgrade: z.boolean().optional().describe('Render an upgrade instead of an installation. Default: false'),
  }),
  answer: z.object({
    manifest: z.string().describe('The manifests and the hooks, as `helm template` prints them'),
    notes: z.string().optional().describe('The rendered NOTES.txt'),
  }),
  plainField: 'manifest',
  changes: () => undefined,
});
