import * as z from 'zod';
import { longText } from '../bounded.ts';
import {
  chartArgument,
  chartSource,
  renderOptions,
  sealedValueFields,
  valueReferences,
  valuesOnly,
} from './chart-fields.ts';
import { defineCommand } from './definition.ts';
import { noHooksField } from './deploy-fields.ts';
import { field, withoutFlags, withSchema } from './field.ts';
import { releaseArgument, releaseIdentity } from './release-fields.ts';
import { renderFlags } from './render-flags.ts';
import { timeoutField } from './wait-fields.ts';

export const templateRelease = defineCommand({
  summary: "Renders a chart with the cluster's capabilities and objects, and changes nothing.",
  method: 'template',
  fields: {
    ...releaseIdentity,
    ...chartSource,
    ...valuesOnly,
    ...valueReferences,
    ...sealedValueFields,
    timeout: timeoutField,
    ...renderOptions,
    renderSubchartNotes: withoutFlags(renderOptions.renderSubchartNotes), // the notes are not printed
    noHooks: withSchema(noHooksField, noHooksField.schema.describe('Leave hooks out. Default: false')),
    skipTests: field(z.boolean().optional().describe('Leave test hooks out. Default: false'), renderFlags.skipTests),
    includeCrds: field(
      z.boolean().optional().describe('Put the files of the `crds/` folders first, as they are. Default: false'),
      renderFlags.includeCrds,
    ),
    hideSecret: field(z.boolean().optional().describe('Leave Secrets out. Default: false'), {
      name: 'hide-secret',
      kind: 'switch',
      help: 'leave out Secrets',
    }),
    isUpgrade: field(
      z.boolean().optional().describe('Render an upgrade instead of an installation. Default: false'),
      renderFlags.isUpgrade,
    ),
  },
  answer: z.object({
    manifest: longText.describe('The manifests and the hooks, as `helm template` prints them'),
    notes: longText.optional().describe('The rendered NOTES.txt'),
  }),
  plainField: 'manifest',
  changes: () => undefined,
  right: 'read',
  survives: false,
  line: {
    name: 'template',
    short: 'Render a chart with the cluster of an agent',
    arguments: [releaseArgument, chartArgument],
    examples: ['web web -f values.yaml'],
  },
});
