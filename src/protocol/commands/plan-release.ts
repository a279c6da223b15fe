import * as z from 'zod';
import { answerList, longText } from '../bounded.ts';
import { chartSource } from './chart-fields.ts';
import { defineCommand } from './definition.ts';
import { deployOptions } from './deploy-fields.ts';
import { field, without, withSchema } from './field.ts';
import { installRelease } from './install-release.ts';
import { chartSignatureSchema, difference } from './release-answer.ts';
import { historyOptions, releaseIdentity, revisionField } from './release-fields.ts';
import { uninstallRelease } from './uninstall-release.ts';

const { replace, upgrade } = installRelease.fields;
const { keepHistory, ignoreNotFound, cascade } = uninstallRelease.fields;

const hook = z.object({
  event: longText.describe('Such as `pre-upgrade`'),
  weight: z.int(),
  kind: longText,
  name: longText,
  path: longText.describe('Path of its template'),
  deletePolicies: answerList(longText),
});

const neededRights = z.object({
  group: longText.describe('API group; empty for the core group'),
  resource: longText.describe('Such as `deployments`'),
  namespace: longText.optional().describe('Default: the whole cluster'),
  verbs: answerList(longText),
});

/** A plan, as an approver reads it. */
export const planAnswer = z.object({
  plan: longText.describe('Id of the plan: `NAMESPACE/NAME@` and the first 12 characters of the digest'),
  digest: longText.describe('SHA-256 of the whole plan, in hexadecimal; `apply_plan` also takes it in the id'),
  expires: longText.describe('Time in RFC 3339 at which the plan expires; the agent may drop it before'),
  action: z.enum(['install', 'upgrade', 'rollback', 'uninstall']),
  revision: z.int().optional().describe('The revision to deploy, or the one to uninstall'),
  base: z
    .object({ version: z.int(), status: longText })
    .optional()
    .describe('The newest revision, if the release exists'),
  chart: longText.optional().describe('Name and version of the chart to deploy'),
  chartSignature: chartSignatureSchema
    .optional()
    .describe(
      'The signature of the chart: `by`, `scheme`, `key` and `digest`, and `issuer` and `identity` of one without a key. Absent if none was verified',
    ),
  noChange: z.boolean().optional().describe('True if `unchanged: "skip"` would leave the release as it is'),
  crds: answerList(longText).describe('Files with CRDs that are applied first'),
  hooks: answerList(hook).describe('The hooks that would run, in their order'),
  crdDifferences: answerList(difference)
    .optional()
    .describe('How the CRDs differ from those of the cluster, in the fields that they set'),
  hookDifferences: answerList(difference)
    .optional()
    .describe(
      'The hooks that differ from those of the newest revision, with their images and commands; all of them for `uninstall`',
    ),
  differences: answerList(difference).describe(
    'The objects that would change, with the fields that the API server would change',
  ),
  unchanged: z.int().describe('Number of objects that stay as they are'),
  rights: answerList(neededRights)
    .optional()
    .describe('The rights that the operation needs in the cluster to change objects and to store the release'),
  secret: longText
    .optional()
    .describe(
      'The Secret with the plan, as `NAMESPACE/NAME`: its annotation `helm-agent/approved` can approve the plan',
    ),
  omitted: answerList(longText).optional().describe('The fields that the packet had no room for'),
});

/** The part of a plan that says what it would change. The other fields differ for each cluster. */
export type PlannedChanges = Pick<z.output<typeof planAnswer>, (typeof changeFields)[number]>;

const changeFields = [
  ...(['action', 'chart', 'chartSignature', 'noChange', 'crds', 'hooks', 'crdDifferences', 'hookDifferences'] as const),
  ...(['differences', 'rights', 'omitted'] as const),
];

/** Returns what a plan would change. Plans with equal text of that would change the same. */
export function plannedChanges(plan: PlannedChanges): PlannedChanges {
  const fields = changeFields.flatMap((name) => (plan[name] === undefined ? [] : [[name, plan[name]]]));
  return Object.fromEntries(fields) as PlannedChanges; // as its type says
}

export const planRelease = defineCommand({
  summary:
    'Finds out what an installation, an upgrade, a rollback or an uninstallation would do, by dry runs of the API server, and records it as a plan for `apply_plan`. Changes nothing.',
  method: 'plan',
  fields: {
    ...releaseIdentity,
    action: field(
      z.enum(['install', 'upgrade', 'rollback', 'uninstall']).describe('The operation, whose fields apply'),
    ),
    ...chartSource,
    chartName: withSchema(chartSource.chartName, chartSource.chartName.schema.optional()),
    ...without(deployOptions, 'ifBusy', 'dryRun', 'hideSecret', 'hideNotes'),
    ...historyOptions,
    replace,
    upgrade,
    version: withSchema(
      revisionField,
      revisionField.schema.describe('The revision to roll back to. Default: the previous one'),
    ),
    keepHistory,
    ignoreNotFound,
    cascade,
  },
  answer: planAnswer,
  plainField: 'plan',
  changes: () => undefined,
  right: 'read',
  survives: false,
});
