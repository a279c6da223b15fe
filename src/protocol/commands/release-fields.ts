import * as z from 'zod';
import { longText, objectName } from '../bounded.ts';
import { timeoutSchema } from '../duration.ts';
import { field } from './field.ts';

/** The fields that name a release. */
export const releaseIdentity = {
  namespace: field(objectName.default('default').describe('Namespace of the release')),
  releaseName: field(objectName.describe('Name of the release')),
};

export const revisionField = field(z.int().positive().optional().describe('The revision. Default: the newest'), {
  name: 'revision',
  kind: 'number',
  help: 'the revision (default: the newest)',
});

export const tillerNamespaceField = field(
  objectName
    .optional()
    .describe('Namespace in which the Tiller of Helm 2 has stored its releases, in ConfigMaps. Default: `kube-system`'),
  {
    name: 'tiller-namespace',
    kind: 'text',
    only: 'ctl',
    help: 'namespace of the Tiller of Helm 2 (default: kube-system)',
  },
);

/** The argument of commands about one release. */
export const releaseArgument = { field: 'releaseName', kind: 'release', shown: 'RELEASE_NAME' } as const;

/** The errors of revisions that an answer leaves out. */
export const unreadableField = z
  .array(longText)
  .max(21)
  .optional()
  .describe(
    'Errors of the revisions that are left out because they cannot be read, at most 20 of them and their number',
  );

/** The options for a release that another client has left unfinished. */
export const recoverOptions = {
  recover: field(
    z
      .boolean()
      .optional()
      .describe(
        'Take over a release that is `pending-*` or `uninstalling`, if its client has ended; see operations.md. Default: false',
      ),
    {
      name: 'recover',
      kind: 'switch',
      only: 'ctl',
      help: 'take over a release that is pending-* or uninstalling because its client has ended',
    },
  ),
  recoverAfter: field(
    timeoutSchema
      .optional()
      .describe('With `recover`: the client has ended if it wrote nothing for this time, as `timeout`. Default: `1h`'),
    {
      name: 'recover-after',
      kind: 'duration',
      only: 'ctl',
      help: 'with --recover: time since it was last written (default: 1h)',
    },
  ),
};

/** The options of commands that add a revision to a release. */
export const historyOptions = {
  historyLimit: field(z.int().optional().describe('Number of revisions to keep; -1 keeps all. Default: 10'), {
    name: 'history-max',
    kind: 'limit',
    help: 'number of revisions to keep; 0 keeps all',
  }),
  cleanupOnFail: field(
    z.boolean().optional().describe('Delete the objects that were created if the operation fails. Default: false'),
    {
      name: 'cleanup-on-fail',
      kind: 'switch',
      help: 'delete the objects that the operation has created if it fails',
    },
  ),
};
