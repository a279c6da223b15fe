import { z } from 'zod';
import { timeoutSchema } from '../duration.ts';

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
  chartName: z
    .string()
    .describe(
      'Name of the chart in the repository. Without `repoUrl`: the `oci://` URL of a chart in a registry, the HTTP URL of a chart archive, or a path below the folder of `--local-charts`',
    ),
  chartVersion: z.string().optional().describe('Version or range of versions. Default: the newest stable version'),
};

export const revisionField = z.int().positive().optional().describe('The revision. Default: the newest');

export const timeoutField = timeoutSchema
  .optional()
  .describe(
    'Time limit for the whole operation: a Go duration (`5m0s`, `1h30m`) or a number of seconds; more than 0, at most `168h`. Default: `5m`',
  );

export const noHooksField = z.boolean().optional().describe('Do not run hooks. Default: false');

export const dryRunField = z
  .boolean()
  .optional()
  .describe('Return the revision that would be deployed, and change nothing. Default: false');

/** The options of commands that add a revision to a release. */
export const historyOptions = {
  historyLimit: z.int().optional().describe('Number of revisions to keep; -1 keeps all. Default: 10'),
  cleanupOnFail: z
    .boolean()
    .optional()
    .describe('Delete the objects that were created if the operation fails. Default: false'),
};

/** The options that `install_release` and `upgrade_release` share. */
export const deployOptions = {
  values: z.string().optional().describe('Values: a YAML mapping, as text'),
  timeout: timeoutField,
  wait: z.boolean().optional().describe('Wait until all resources are ready. Default: true'),
  waitForJobs: z.boolean().optional().describe('Wait until Jobs have completed, too. Default: true'),
  atomic: z.boolean().optional().describe('Undo the changes if the operation fails. Default: true'),
  noHooks: noHooksField,
  dryRun: dryRunField,
  createNamespace: z.boolean().optional().describe('Create the namespace if it does not exist. Default: true'),
  description: z.string().optional().describe("Description of the revision in the release's history"),
};
