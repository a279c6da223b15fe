import * as z from 'zod';
import { renderOptions, valuesFields } from './chart-fields.ts';
import { recoverOptions } from './release-fields.ts';
import { waitOptions } from './wait-fields.ts';

export const noHooksField = z.boolean().optional().describe('Do not run hooks. Default: false');

export const dryRunField = z
  .union([z.boolean(), z.enum(['none', 'client', 'server'])], {
    error: 'must be true, false, none, client or server',
  })
  .optional()
  .describe(
    "Return the revision that would be deployed, and change nothing. `client`, as in Helm: `lookup` finds nothing, and an installation has Helm's own capabilities; true or `server`: both come from the cluster, and each object goes to the API server as a dry run. Default: false",
  );

/** Treatment of a command if another one on its release runs or waits. */
export const ifBusyField = z
  .enum(['queue', 'reject'])
  .optional()
  .describe(
    'If another command on the release runs or waits: `"queue"` runs after it, `"reject"` fails with `pending_operation`. Default: `"queue"`',
  );

const crdsField = z
  .enum(['skip', 'create', 'create-replace'])
  .optional()
  .describe(
    'The CRDs of the chart: `"skip"` leaves them, `"create"` creates those that do not exist, and `"create-replace"` also changes those that exist and takes over their fields. Default: an installation applies them as all objects, and an upgrade leaves them',
  );

/** The options that say how objects are applied. */
export const applyOptions = {
  serverSide: z
    .union([z.boolean(), z.literal('auto')])
    .optional()
    .describe(
      'Apply objects server-side, or client-side if false. `"auto"` does what the revision before did, or that to roll back to. Default: `"auto"`, and true for a new release',
    ),
  forceConflicts: z
    .boolean()
    .optional()
    .describe('Server-side: take over fields that other managers own with other values. Default: false'),
  forceReplace: z
    .boolean()
    .optional()
    .describe('Client-side: replace existing objects instead of changing fields. Default: false'),
  recreate: z
    .literal('immutable')
    .optional()
    .describe(
      '`"immutable"`: delete and create objects whose immutable fields change, except Namespaces, volumes, their claims, and CRDs. Default: such a change is an error',
    ),
};

/** The options that `install_release` and `upgrade_release` share. */
export const deployOptions = {
  ...valuesFields,
  ifBusy: z
    .enum(['queue', 'supersede', 'reject'])
    .optional()
    .describe(
      'If another command on the release runs or waits: `"queue"` runs after it, and `"reject"` fails with `pending_operation`. `"supersede"` cancels installations and upgrades that run or wait, without a rollback, then upgrades and also deletes the objects that only their revisions have. Default: `"queue"`',
    ),
  ...waitOptions,
  atomic: z.boolean().optional().describe('Undo the changes if the operation fails. Default: true'),
  ...applyOptions,
  takeOwnership: z
    .boolean()
    .optional()
    .describe('Take over existing objects that do not belong to the release. Default: false'),
  crds: crdsField,
  unchanged: z
    .literal('skip')
    .optional()
    .describe(
      'On an upgrade: `"skip"` adds no revision, and runs no hooks, if the deployed one has the same chart, values, manifest, hooks, notes and labels, and the live objects are as it says. Default: an upgrade always adds a revision',
    ),
  ...recoverOptions,
  noHooks: noHooksField,
  dryRun: dryRunField,
  hideSecret: z.boolean().optional().describe('With `dryRun`: leave Secrets out of the manifest. Default: false'),
  hideNotes: z.boolean().optional().describe('Leave the notes out of the result. They are stored. Default: false'),
  ...renderOptions,
  postRenderer: z
    .string()
    .optional()
    .describe(
      'Name of a post-renderer of the agent, which changes the manifests before they are stored and applied; see `--post-renderers`. Default: none',
    ),
  disableOpenapiValidation: z
    .boolean()
    .optional()
    .describe('Accepted for clients of Helm, without effect: the API server alone checks the fields of objects'),
  labels: z
    .record(z.string(), z.string())
    .optional()
    .describe(
      'Labels for the stored revision, for `list_releases`. An upgrade keeps those of the revision before; `null` removes one. Default: none',
    ),
  createNamespace: z
    .boolean()
    .optional()
    .describe(
      'On installation: create the namespace if it does not exist, and apply the label `name` to it as Helm does. Default: true',
    ),
  storage: z
    .literal('chunked')
    .optional()
    .describe(
      '`"chunked"`: store a release of more than 1 MiB, compressed, in several Secrets, which helm cannot read; see operations.md. Default: such a release is an error',
    ),
  description: z.string().optional().describe("Description of the revision in the release's history"),
};
