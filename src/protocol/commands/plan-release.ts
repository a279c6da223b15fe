import * as z from 'zod';
import { defineCommand } from './definition.ts';
import { chartSource } from './chart-fields.ts';
import { deployOptions } from './deploy-fields.ts';
import { historyOptions, releaseIdentity, revisionField } from './release-fields.ts';
import { installRelease } from './install-release.ts';
import { difference } from './release-answer.ts';
import { uninstallRelease } from './uninstall-release.ts';

const { replace, upgrade } = installRelease.payload.shape;
const { keepHistory, ignoreNotFound, cascade } = uninstallRelease.payload.shape;

const hook = z.object({
  event: z.string().describe('Such as `pre-upgrade`'),
  weight: z.int(),
  kind: z.string(),
  name: z.string(),
  path: z.string().describe('Path of its template'),
  deletePolicies: z.array(z.string()),
});

export const planRelease = defineCommand({
  summary:
    'Finds out what an installation, an upgrade, a rollback or an uninstallation would do, by dry runs of the API server, and records it as a plan for `apply_plan`. Changes nothing.',
  method: 'plan',
  payload: z
    .object({
      ...releaseIdentity,
      action: z.enum(['install', 'upgrade', 'rollback', 'uninstall']).describe('The operation, whose fields apply'),
      ...chartSource,
      chartName: chartSource.chartName.optional(),
      ...deployOptions,
      ...historyOptions,
      replace,
      upgrade,
      version: revisionField.describe('The revision to roll back to. Default: the previous one'),
      keepHistory,
      ignoreNotFound,
      cascade,
    })
    .omit({ ifBusy: true, dryRun: true, hideSecret: true, hideNotes: true }),
  answer: z.object({
    plan: z.string().describe('Id of the plan: `NAMESPACE/NAME@` and the first 12 characters of the digest'),
    digest: z.string().describe('SHA-256 of the whole plan, in hexadecimal; `apply_plan` also takes it in the id'),
    expires: z.string().describe('Time in RFC 3339 at which the plan expires; the agent may drop it before'),
    action: z.enum(['install', 'upgrade', 'rollback', 'uninstall']),
    revision: z.int().optional().describe('The revision to deploy, or the one to uninstall'),
    base: z
      .object({ version: z.int(), status: z.string() })
      .optional()
      .describe('The newest revision, if the release exists'),
    chart: z.string().optional().describe('Name and version of the chart to deploy'),
    noChange: z.boolean().optional().describe('True if `unchanged: "skip"` would leave the release as it is'),
    crds: z.array(z.string()).describe('Files with CRDs that are applied first'),
    hooks: z.array(hook).describe('The hooks that would run, in their order'),
    differences: z
      .array(difference)
      .describe('The objects that would change, with the fields that the API server would change'),
    unchanged: z.int().describe('Number of objects that stay as they are'),
    omitted: z.array(z.string()).optional().describe('The fields that the packet had no room for'),
  }),
  plainField: 'plan',
  changes: () => undefined,
});
