import * as z from 'zod';
import { boundedRecord, line, objectName } from '../bounded.ts';
import { renderOptions, valuesFields } from './chart-fields.ts';
import { field } from './field.ts';
import { recoverOptions } from './release-fields.ts';
import { waitOptions } from './wait-fields.ts';

export const noHooksField = field(z.boolean().optional().describe('Do not run hooks. Default: false'), {
  name: 'no-hooks',
  kind: 'switch',
  help: 'do not run hooks',
});

export const dryRunField = field(
  z
    .union([z.boolean(), z.enum(['none', 'client', 'server'])], {
      error: 'must be true, false, none, client or server',
    })
    .optional()
    .describe(
      "Return the revision that would be deployed, and change nothing. `client`, as in Helm: `lookup` finds nothing, and an installation has Helm's own capabilities; true or `server`: both come from the cluster, and each object goes to the API server as a dry run. Default: false",
    ),
  {
    name: 'dry-run',
    kind: 'dry-run',
    help: 'change nothing; server: with the cluster; client: without (default: client if given, otherwise none)',
  },
);

/** Treatment of a command if another one on its release runs or waits. */
export const ifBusyField = field(
  z
    .enum(['queue', 'reject'])
    .optional()
    .describe(
      'If another command on the release runs or waits: `"queue"` runs after it, `"reject"` fails with `pending_operation`. Default: `"queue"`',
    ),
  {
    name: 'if-busy',
    kind: 'choice',
    choices: { queue: 'queue', reject: 'reject' },
    only: 'ctl',
    help: 'if another command on the release runs or waits: queue runs after it, reject fails (default: queue)',
  },
);

const crdsField = field(
  z
    .enum(['skip', 'create', 'create-replace'])
    .optional()
    .describe(
      'The CRDs of the chart: `"skip"` leaves them, `"create"` creates those that do not exist, and `"create-replace"` also changes those that exist and takes over their fields. Default: an installation applies them as all objects, and an upgrade leaves them',
    ),
  { name: 'skip-crds', kind: 'switch', value: 'skip', help: 'leave the CRDs of the chart' },
  {
    name: 'crds',
    kind: 'choice',
    choices: { skip: 'skip', create: 'create', 'create-replace': 'create-replace' },
    only: 'ctl',
    help: 'skip, create or create-replace: what to do with the CRDs of the chart (default: apply them on installation)',
  },
);

/** The options that say how objects are applied. */
export const applyOptions = {
  serverSide: field(
    z
      .union([z.boolean(), z.literal('auto')])
      .optional()
      .describe(
        'Apply objects server-side, or client-side if false. `"auto"` does what the revision before did, or that to roll back to. Default: `"auto"`, and true for a new release',
      ),
    {
      name: 'server-side',
      kind: 'choice',
      choices: { true: true, false: false, auto: 'auto' },
      bare: 'true',
      initial: 'auto',
      refusal: 'invalid/unknown release server-side apply method: %s',
      help: 'true, false or auto: apply server-side, or client-side; auto does what the revision before did, and is true for a new release',
    },
  ),
  forceConflicts: field(
    z
      .boolean()
      .optional()
      .describe('Server-side: take over fields that other managers own with other values. Default: false'),
    { name: 'force-conflicts', kind: 'switch', help: 'take over fields that other managers own with other values' },
  ),
  forceReplace: field(
    z.boolean().optional().describe('Client-side: replace existing objects instead of changing fields. Default: false'),
    {
      name: 'force',
      kind: 'switch',
      excludes: 'force-conflicts',
      deprecated: 'use --force-replace instead',
      help: 'the same as --force-replace',
    },
    {
      name: 'force-replace',
      kind: 'switch',
      excludes: 'force-conflicts',
      help: 'replace existing objects instead of changing fields; needs --server-side=false',
    },
  ),
  recreate: field(
    z
      .literal('immutable')
      .optional()
      .describe(
        '`"immutable"`: delete and create objects whose immutable fields change, except Namespaces, volumes, their claims, and CRDs. Default: such a change is an error',
      ),
    {
      name: 'recreate',
      kind: 'choice',
      choices: { immutable: 'immutable' },
      only: 'ctl',
      help: 'immutable: delete and create objects whose immutable fields change',
    },
  ),
};

/** The options that `install_release` and `upgrade_release` share. */
export const deployOptions = {
  ...valuesFields,
  ifBusy: field(
    z
      .enum(['queue', 'supersede', 'reject'])
      .optional()
      .describe(
        'If another command on the release runs or waits: `"queue"` runs after it, and `"reject"` fails with `pending_operation`. `"supersede"` cancels installations and upgrades that run or wait, without a rollback, then upgrades and also deletes the objects that only their revisions have. Default: `"queue"`',
      ),
    {
      name: 'if-busy',
      kind: 'choice',
      choices: { queue: 'queue', reject: 'reject', supersede: 'supersede' },
      only: 'ctl',
      help: 'if another command on the release runs or waits: queue runs after it, reject fails; supersede stops installations and upgrades that run or wait (default: queue)',
    },
  ),
  ...waitOptions,
  atomic: field(
    z.boolean().optional().describe('Undo the changes if the operation fails. Default: true'),
    {
      name: 'atomic',
      kind: 'toggle',
      deprecated: 'use --rollback-on-failure instead',
      help: 'undo a failed operation',
      helmDefault: false,
    },
    { name: 'rollback-on-failure', kind: 'toggle', help: 'undo a failed operation; the same as --atomic' },
  ),
  ...applyOptions,
  takeOwnership: field(
    z.boolean().optional().describe('Take over existing objects that do not belong to the release. Default: false'),
    { name: 'take-ownership', kind: 'switch', help: 'take over existing objects that do not belong to the release' },
  ),
  crds: crdsField,
  unchanged: field(
    z
      .literal('skip')
      .optional()
      .describe(
        'On an upgrade: `"skip"` adds no revision, and runs no hooks, if the deployed one has the same chart, values, manifest, hooks, notes and labels, and the live objects are as it says. Default: an upgrade always adds a revision',
      ),
    {
      name: 'unchanged',
      kind: 'choice',
      choices: { skip: 'skip' },
      only: 'ctl',
      help: 'skip: add no revision if the release and its objects are already as requested (default: always add one)',
    },
  ),
  ...recoverOptions,
  noHooks: noHooksField,
  dryRun: dryRunField,
  hideSecret: field(
    z.boolean().optional().describe('With `dryRun`: leave Secrets out of the manifest. Default: false'),
    { name: 'hide-secret', kind: 'switch', help: 'with --dry-run: leave Secrets out' },
  ),
  hideNotes: field(
    z.boolean().optional().describe('Leave the notes out of the result. They are stored. Default: false'),
    { name: 'hide-notes', kind: 'switch', help: 'do not print the notes' },
  ),
  ...renderOptions,
  postRenderer: field(
    objectName
      .optional()
      .describe(
        'Name of a post-renderer of the agent, which changes the manifests before they are stored and applied; see `--post-renderers`. Default: none',
      ),
    { name: 'post-renderer', kind: 'text', only: 'ctl', help: 'post-renderer of the agent that changes the manifests' },
  ),
  disableOpenapiValidation: field(
    z
      .boolean()
      .optional()
      .describe('Accepted for clients of Helm, without effect: the API server alone checks the fields of objects'),
    {
      name: 'disable-openapi-validation',
      kind: 'switch',
      help: 'no effect: only the API server checks the fields of objects',
    },
  ),
  labels: field(
    boundedRecord(z.string().max(512), z.string().max(512), 1000)
      .optional()
      .describe(
        'Labels for the stored revision, for `list_releases`. An upgrade keeps those of the revision before; `null` removes one. Default: none',
      ),
    {
      name: 'labels',
      short: 'l',
      kind: 'pairs',
      help: 'labels for the stored revision: a=1,b=2; an upgrade removes a=null',
    },
  ),
  createNamespace: field(
    z
      .boolean()
      .optional()
      .describe(
        'On installation: create the namespace if it does not exist, and apply the label `name` to it as Helm does. Default: true',
      ),
    { name: 'create-namespace', kind: 'toggle', help: 'create the namespace if it does not exist', helmDefault: false },
  ),
  storage: field(
    z
      .literal('chunked')
      .optional()
      .describe(
        '`"chunked"`: store a release of more than 1 MiB, compressed, in several Secrets, which helm cannot read; see operations.md. Default: such a release is an error',
      ),
    {
      name: 'storage',
      kind: 'choice',
      choices: { chunked: 'chunked' },
      only: 'ctl',
      help: 'chunked: store a release of more than 1 MiB in several Secrets',
    },
  ),
  description: field(line.optional().describe("Description of the revision in the release's history"), {
    name: 'description',
    kind: 'text',
    help: 'description for the history of the release',
  }),
};
