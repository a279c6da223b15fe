import * as z from 'zod';
import { answerList, objectName, selector } from '../bounded.ts';
import { releaseSchema } from '../release.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';
import { tillerNamespaceField, unreadableField } from './release-fields.ts';

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

/** The statuses that each flag selects. */
const statusesOfFlags = {
  deployed: ['deployed'],
  failed: ['failed'],
  pending: ['pending-install', 'pending-upgrade', 'pending-rollback'],
  superseded: ['superseded'],
  uninstalled: ['uninstalled'],
  uninstalling: ['uninstalling'],
} as const;

/** Several of them add up. */
const statusFlags = Object.entries(statusesOfFlags).map(([name, statuses]) => ({
  name,
  kind: 'part' as const,
  value: [...statuses],
  help: `list ${name} releases`,
}));

export const listReleases = defineCommand({
  summary: 'Lists the newest revision of each release, without manifest, values and notes.',
  method: 'list',
  fields: {
    namespace: field(objectName.optional().describe('Namespace of the releases. Default: all namespaces')),
    filter: field(
      selector
        .optional()
        .describe("Regular expression in Go's syntax that the names contain a match of. Default: all names"),
      { name: 'filter', short: 'f', kind: 'text', help: 'list only names that match a regular expression' },
    ),
    selector: field(selector.optional().describe('Label selector for the stored revisions. Default: all'), {
      name: 'selector',
      short: 'l',
      kind: 'text',
      help: 'list only releases whose labels match',
    }),
    statuses: field(
      z
        .array(status)
        .max(100)
        .optional()
        .describe('Statuses of the newest revisions; only `superseded` lists all superseded revisions. Default: all'),
      ...statusFlags,
    ),
    sort: field(z.enum(['name', 'date']).optional().describe('`name` or `date`. Default: by namespace and name'), {
      name: 'date',
      short: 'd',
      kind: 'switch',
      value: 'date',
      otherwise: 'name',
      help: 'sort by the time of deployment',
    }),
    reverse: field(z.boolean().optional().describe('Reverse the order. Default: false'), {
      name: 'reverse',
      short: 'r',
      kind: 'switch',
      help: 'reverse the order',
    }),
    offset: field(z.int().positive().optional().describe('Number of releases to leave out at the start. Default: 0'), {
      name: 'offset',
      kind: 'number',
      help: 'number of releases to leave out at the start',
    }),
    max: field(z.int().positive().optional().describe('Largest number of releases. Default: all'), {
      name: 'max',
      short: 'm',
      kind: 'number',
      default: 256,
      help: 'largest number of releases; 0 for all',
    }),
    helm2: field(
      z
        .boolean()
        .optional()
        .describe('List the releases of Helm 2 instead, as `adopt_release` would store them. Default: false'),
      { name: 'helm2', kind: 'switch', only: 'ctl', help: 'list the releases of Helm 2, which ctl adopt takes over' },
    ),
    tillerNamespace: tillerNamespaceField,
  },
  answer: z.object({
    releases: answerList(releaseSchema).describe('The releases in the requested order'),
    unreadable: unreadableField,
  }),
  plainField: 'releases',
  changes: () => undefined,
  right: 'read',
  survives: false,
  line: {
    name: 'list',
    aliases: ['ls'],
    short: 'List releases',
    arguments: [],
    examples: ['', '-n demo --failed -o json'],
  },
});
