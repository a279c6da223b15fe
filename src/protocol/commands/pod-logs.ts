import * as z from 'zod';
import { answerList, longText, objectName, selector } from '../bounded.ts';
import { timeoutSchema } from '../duration.ts';
import { logCursorSchema } from '../streams/log-records.ts';
import { namespaceField, podRights } from './action-fields.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';

/** Most containers whose logs are continued. */
const maxCursors = 10_000;

export const podLogs = defineCommand({
  summary: 'Sends the logs of containers in its stream, as they are: secrets in them are not masked.',
  method: 'podLogs',
  fields: {
    namespace: namespaceField,
    name: field(
      objectName
        .optional()
        .describe(
          'Name of a pod, or kind and name of a workload, of which all pods are read: `deploy/web`, or `cronjob/backup` for its newest Job',
        ),
    ),
    releaseName: field(objectName.optional().describe('Name of a release, of which all pods are read'), {
      name: 'release',
      kind: 'text',
      only: 'ctl',
      help: 'read all pods of the workloads of a release',
    }),
    selector: field(selector.optional().describe('Label selector of pods, such as `app=web,tier in (a,b)`'), {
      name: 'selector',
      short: 'l',
      kind: 'text',
      only: 'ctl',
      help: 'read all pods with these labels: app=web,tier in (a,b)',
    }),
    container: field(
      objectName
        .optional()
        .describe(
          'Name of a container. Default: that of the annotation `kubectl.kubernetes.io/default-container`, or the first one',
        ),
      {
        name: 'container',
        short: 'c',
        kind: 'text',
        only: 'ctl',
        excludes: 'all-containers',
        help: 'name of the container (default: the first one)',
      },
    ),
    allContainers: field(
      z.boolean().optional().describe('Read all containers, also init and ephemeral ones. Default: false'),
      {
        name: 'all-containers',
        kind: 'switch',
        only: 'ctl',
        help: 'read all containers, also init and ephemeral ones',
      },
    ),
    follow: field(
      z
        .boolean()
        .optional()
        .describe(
          'Send new lines as they are written, of restarted containers and of new pods, too, until a pod or Job has ended. Default: false',
        ),
      { name: 'follow', short: 'f', kind: 'switch', only: 'ctl', help: 'show new lines as they are written' },
    ),
    previous: field(
      z.boolean().optional().describe('Read the logs of the containers before their last restart. Default: false'),
      {
        name: 'previous',
        short: 'p',
        kind: 'switch',
        only: 'ctl',
        excludes: 'follow',
        help: 'read the log before the last restart',
      },
    ),
    since: field(
      timeoutSchema.optional().describe('Only lines that are not older: a Go duration. Default: all lines'),
      {
        name: 'since',
        kind: 'duration',
        only: 'ctl',
        excludes: 'since-time',
        help: 'only lines that are not older, such as 5m',
      },
    ),
    sinceTime: field(
      z.iso.datetime({ offset: true }).max(40).optional().describe('Only lines since this time, RFC 3339'),
      { name: 'since-time', kind: 'text', only: 'ctl', help: 'only lines since this time, in RFC 3339' },
    ),
    tail: field(
      z.int().min(0).max(1_000_000_000).optional().describe('Number of the last lines of each container. Default: all'),
    ),
    timestamps: field(
      z.boolean().optional().describe('Whether lines start with the times at which they were written. Default: false'),
      { name: 'timestamps', kind: 'switch', only: 'ctl', help: 'show the time of each line' },
    ),
    limitBytes: field(
      z.int().positive().max(Number.MAX_SAFE_INTEGER).optional().describe('Most bytes of each container. Default: all'),
      { name: 'limit-bytes', kind: 'number', only: 'ctl', help: 'most bytes of each container (default: all)' },
    ),
    cursors: field(
      z
        .array(logCursorSchema)
        .max(maxCursors)
        .optional()
        .describe(
          'The newest cursors that have arrived for the containers, to continue after them. Containers without one are new',
        ),
    ),
  },
  answer: z.object({
    containers: z.int().describe('Number of containers that were read'),
    problems: answerList(longText).optional().describe('What could not be read'),
  }),
  plainField: 'containers',
  changes: () => undefined,
  zeroFields: ['tail'],
  right: 'logs',
  resourceRights: [...podRights, { group: '', resources: ['pods/log'], verbs: ['get'] }],
  stream: 'readable',
  survives: false,
  follows: true,
});
