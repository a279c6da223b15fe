import * as z from 'zod';
import { timeoutSchema } from '../duration.ts';
import { maxChartArchiveBytes } from '../limits.ts';
import { chartDigestSchema } from '../streams/chart-stream.ts';
import { failFastLevels, problemClassNames, problemCodes } from '../problem-codes.ts';

/** Returns the length of bytes in base64. */
function maxBase64Length(bytes: number): number {
  return 4 * Math.ceil(bytes / 3);
}

/** The fields that name a release. */
export const releaseIdentity = {
  namespace: z.string().default('default').describe('Namespace of the release'),
  releaseName: z.string().describe('Name of the release'),
};

/** The fields that say where a chart comes from. */
export const chartSource = {
  repoUrl: z.string().optional().describe('URL of an HTTP repository, or an `oci://` URL below which the chart is'),
  repoUserName: z.string().optional().describe('User name for the repository or registry'),
  repoPassword: z.string().optional().describe('Password for the repository or registry'),
  credentialsFrom: z
    .object({ secret: z.string().describe('Name of the Secret') })
    .optional()
    .describe(
      'In place of `repoUserName` and `repoPassword`: `{secret}`, a Secret in the namespace of the agent with the credentials for the repository or registry, so that they stay in the cluster; see operations.md. Default: none',
    ),
  chartName: z
    .string()
    .describe(
      'Name of the chart in the repository. Without `repoUrl`: the `oci://` URL of a chart in a registry, the HTTP URL of a chart archive, or a path below the folder of `--local-charts`',
    ),
  chartVersion: z.string().optional().describe('Version or range of versions. Default: the newest stable version'),
  dependencyUpdate: z
    .boolean()
    .optional()
    .describe(
      'Download the dependencies that are missing in the `charts/` folder of the chart, from their repositories. Default: a missing dependency is an error',
    ),
  chartArchive: z
    .string()
    .max(maxBase64Length(maxChartArchiveBytes))
    .optional()
    .describe(
      'The chart itself: its archive of at most 5 MiB, in base64. `chartName` then only names it. Default: the chart is downloaded',
    ),
  chartDigest: z.string().optional().describe('SHA-256 of the archive, in hex. Default: it is not checked'),
  chartUpload: chartDigestSchema
    .optional()
    .describe(
      'Digest, as `sha256:HEX`, of an archive that was uploaded to the control plane. `chartName` then only names the chart. Default: the chart is downloaded',
    ),
};

export const revisionField = z.int().positive().optional().describe('The revision. Default: the newest');

export const timeoutField = timeoutSchema
  .optional()
  .describe(
    'Time limit for the whole operation, the wait for its turn included: a Go duration (`5m0s`, `1h30m`) or a number of seconds; more than 0, at most `168h`. Default: `5m`',
  );

export const tillerNamespaceField = z
  .string()
  .optional()
  .describe('Namespace in which the Tiller of Helm 2 has stored its releases, in ConfigMaps. Default: `kube-system`');

/** The options for a release that another client has left unfinished. */
export const recoverOptions = {
  recover: z
    .boolean()
    .optional()
    .describe(
      'Take over a release that is `pending-*` or `uninstalling`, if its client has ended; see operations.md. Default: false',
    ),
  recoverAfter: timeoutSchema
    .optional()
    .describe('With `recover`: the client has ended if it wrote nothing for this time, as `timeout`. Default: `1h`'),
};

export const noHooksField = z.boolean().optional().describe('Do not run hooks. Default: false');

export const dryRunField = z
  .union([z.boolean(), z.enum(['none', 'client', 'server'])], {
    error: 'must be true, false, none, client or server',
  })
  .optional()
  .describe(
    "Return the revision that would be deployed, and change nothing. `client`, as in Helm: `lookup` finds nothing, and an installation has Helm's own capabilities; true or `server`: both come from the cluster, and each object goes to the API server as a dry run. Default: false",
  );

export const waitOption = z.union([z.boolean(), z.enum(['watcher', 'legacy', 'hookOnly'])], {
  error: 'must be true, false, watcher, legacy or hookOnly',
});

export const waitField = waitOption
  .optional()
  .describe(
    "Wait until all resources are ready. Helm's `watcher` means true, and `legacy` judges by the rules of Helm 3; `hookOnly` waits for hooks only, like false, unless `atomic` is true. Default: true",
  );

export const failFastSchema = z.union(
  [z.enum(failFastLevels), z.partialRecord(z.enum(problemCodes), z.enum(problemClassNames))],
  {
    error: `must be ${failFastLevels.join(', ')}, or an object with a class (${problemClassNames.join(', ')}) for problem codes`,
  },
);

const waitCondition = z
  .string()
  .max(256)
  .regex(
    /^(condition=[^=]+(=.+)?|jsonpath=\{.*\}(=.+)?)$/s,
    'must be condition=NAME[=STATUS] or jsonpath={PATH}[=VALUE]',
  );

/** Rules for when resources are ready. */
export const readinessField = z
  .array(
    z.object({
      kind: z.string().describe('`Widget`, or `example.com/Widget`'),
      name: z.string().optional().describe('Name of the resource. Default: all'),
      readyWhen: waitCondition.describe('A condition as `kubectl wait --for` has it'),
      failedWhen: waitCondition.optional().describe('A condition with which the wait fails. Default: none'),
    }),
  )
  .max(100)
  .optional()
  .describe(
    'When resources are ready, in place of the rules of their kinds: `{kind, name?, readyWhen, failedWhen?}` with conditions as of `kubectl wait --for`, such as `condition=Synced` or `jsonpath={.status.phase}=Running`; see readiness.md. Default: none',
  );

/** The options that say which problems end a wait. */
export const failFastOptions = {
  failFast: failFastSchema
    .optional()
    .describe(
      'The problems that end a wait before its deadline: `"fatal"` those that cannot heal, `"likely"` also those that seldom do, after `failGrace`; `"never"` none; or the classes of problems that are to differ, such as `{"crash_loop": "transient"}`. Default: `"likely"`',
    ),
  failGrace: timeoutSchema
    .optional()
    .describe(
      'Time after which a likely problem ends the wait if it occurs once more, as `timeout`. Default: `60s`, and at most half of `timeout`',
    ),
};

export const hookTimeoutField = timeoutSchema
  .optional()
  .describe(
    'Time limit of each hook, as `timeout`, within that of the operation. The annotation `helm-agent/hook-timeout` of a hook takes precedence. Default: none',
  );

export const logsField = z
  .boolean()
  .optional()
  .describe(
    'Send the lines that the containers of hooks, and of Jobs that the command creates and waits for, write while they run. Default: false',
  );

/** The steps with a time limit of their own, of all operations. */
const limitedSteps = [
  ...['load', 'crds', 'capabilities', 'render', 'check', 'namespace', 'record'],
  ...['pre-hooks', 'apply', 'wait', 'post-hooks', 'delete'],
] as const;

export const stepTimeoutsField = z
  .partialRecord(z.enum(limitedSteps), timeoutSchema, {
    error: `must be an object with time limits for steps: ${limitedSteps.join(', ')}`,
  })
  .optional()
  .describe(
    'Time limits of steps within `timeout`, such as `{"pre-hooks": "2m", "wait": "3m"}`. Undoing the operation has none. Default: none',
  );

export const progressDeadlineField = timeoutSchema
  .optional()
  .describe(
    'Longest time without progress while waiting: no resource becomes ready, and no workload has more pods that are updated or ready. As `timeout`, which still holds. Default: no limit',
  );

export const settleField = z
  .union([timeoutSchema, z.literal(false)], { error: 'must be a duration such as 10s, more than 0, or false' })
  .optional()
  .describe(
    'Time for which all resources must stay ready, as `timeout`; false does not hold back any. Default: a container without a readiness probe must have run for 5 seconds, and after a restart longer than before; and the controller of a changed custom resource has 3 seconds to act, if the resource does not show that it has',
  );

/** Treatment of a command if another one on its release runs or waits. */
export const ifBusyField = z
  .enum(['queue', 'reject'])
  .optional()
  .describe(
    'If another command on the release runs or waits: `"queue"` runs after it, `"reject"` fails with `pending_operation`. Default: `"queue"`',
  );

/** The options of commands that add a revision to a release. */
export const historyOptions = {
  historyLimit: z.int().optional().describe('Number of revisions to keep; -1 keeps all. Default: 10'),
  cleanupOnFail: z
    .boolean()
    .optional()
    .describe('Delete the objects that were created if the operation fails. Default: false'),
};

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

const setValue = z.object({
  kind: z.enum(['set', 'set-string', 'set-json', 'set-literal', 'set-file']).describe("Helm's flag without `--`"),
  text: z.string().describe('The argument of the flag, such as `a.b=1,c=x`'),
  files: z
    .record(z.string(), z.string())
    .optional()
    .describe('For `set-file`: the contents of the files, by the path in `text`'),
});

/** The fields that give values. */
export const valuesOnly = {
  values: z
    .union([z.string(), z.array(z.string()).max(1000)])
    .optional()
    .describe('Values: a YAML mapping as text, or a list of them, of which the last one takes precedence'),
  set: z
    .array(setValue)
    .max(10_000)
    .optional()
    .describe(
      'Values set over `values`: a list of `{kind, text}` with the `kind` `set`, `set-string`, `set-json`, `set-literal` or `set-file`. `text` is the argument of the flag of Helm with this name, such as `a.b=1,c=x`; the contents of the files of a `set-file` are in `files`, by the path in `text`. Merged in the order of Helm, so that `set` gives integers',
    ),
};

/** The fields that give values, and say what an upgrade does with those of the revision before. */
export const valuesFields = {
  ...valuesOnly,
  resetValues: z
    .boolean()
    .optional()
    .describe('On an upgrade: use only these values and the defaults of the chart. Default: false'),
  reuseValues: z
    .boolean()
    .optional()
    .describe(
      'On an upgrade: use the values of the deployed revision and the defaults of its chart, under these values. Default: only if no values are given, and with the defaults of the new chart',
    ),
  resetThenReuseValues: z
    .boolean()
    .optional()
    .describe(
      'On an upgrade: use the values of the deployed revision, under these values, and the defaults of the new chart. Default: false',
    ),
};

/** The options of commands that render a chart. */
export const renderOptions = {
  renderSubchartNotes: z.boolean().optional().describe('Add the notes of subcharts. Default: false'),
  skipSchemaValidation: z.boolean().optional().describe('Do not check values by values.schema.json. Default: false'),
  enableDns: z
    .boolean()
    .optional()
    .describe('Let templates resolve host names with `getHostByName`, which is empty otherwise. Default: false'),
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
  timeout: timeoutField,
  wait: waitField,
  waitForJobs: z.boolean().optional().describe('Wait until Jobs have completed, too. Default: true'),
  ...failFastOptions,
  readiness: readinessField,
  settle: settleField,
  hookTimeout: hookTimeoutField,
  stepTimeouts: stepTimeoutsField,
  progressDeadline: progressDeadlineField,
  logs: logsField,
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
