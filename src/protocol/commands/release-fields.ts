import * as z from 'zod';
import { timeoutSchema } from '../duration.ts';

/** The fields that name a release. */
export const releaseIdentity = {
  namespace: z.string().default('default').describe('Namespace of the release'),
  releaseName: z.string().describe('Name of the release'),
};

export const revisionField = z.int().positive().optional().describe('The revision. Default: the newest');

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

/** The options of commands that add a revision to a release. */
export const historyOptions = {
  historyLimit: z.int().optional().describe('Number of revisions to keep; -1 keeps all. Default: 10'),
  cleanupOnFail: z
    .boolean()
    .optional()
    .describe('Delete the objects that were created if the operation fails. Default: false'),
};
