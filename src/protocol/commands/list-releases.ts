import * as z from 'zod';
import { releaseSchema } from '../release.ts';
import { defineCommand } from './definition.ts';
import { tillerNamespaceField } from './release-fields.ts';

const status = z.enum([
  'unknown',
  'deployed',
  'uninstalled',
  'superseded',
  'failed',
  'uninstalling',
  'pending-install',
  'pending-upgrade',
  'pending-rollback',
]);

export const listReleases = defineCommand({
  summary: 'Lists the newest revision of each release, without manifest, values and notes.',
  method: 'list',
  payload: z.object({
    namespace: z.string().optional().describe('Namespace of the releases. Default: all namespaces'),
    filter: z
      .string()
      .optional()
      .describe("Regular expression in Go's syntax that the names contain a match of. Default: all names"),
    selector: z.string().optional().describe('Label selector for the stored revisions. Default: all'),
    statuses: z
      .array(status)
      .optional()
      .describe('Statuses of the newest revisions; only `superseded` lists all superseded revisions. Default: all'),
    sort: z.enum(['name', 'date']).optional().describe('`name` or `date`. Default: by namespace and name'),
    reverse: z.boolean().optional().describe('Reverse the order. Default: false'),
    offset: z.int().positive().optional().describe('Number of releases to leave out at the start. Default: 0'),
    max: z.int().positive().optional().describe('Largest number of releases. Default: all'),
    helm2: z
      .boolean()
      .optional()
      .describe('List the releases of Helm 2 instead, as `adopt_release` would store them. Default: false'),
    tillerNamespace: tillerNamespaceField,
  }),
  answer: z.object({ releases: z.array(releaseSchema).describe('The releases in the requested order') }),
  plainField: 'releases',
  changes: () => undefined,
});
