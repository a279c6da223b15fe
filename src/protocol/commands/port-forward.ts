import * as z from 'zod';
import { longText } from '../bounded.ts';
import { timeoutSchema } from '../duration.ts';
import { namespaceField, podNameField, podReleaseField, podRights } from './action-fields.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';

/** The largest number of a TCP port. */
export const maxPort = 65_535;

export const portForward = defineCommand({
  summary: 'Connects to a port of a pod, with a stream for one TCP connection.',
  method: 'portForward',
  fields: {
    namespace: namespaceField,
    name: podNameField,
    releaseName: podReleaseField,
    port: field(z.int().positive().max(maxPort).describe('Number of the port')),
    timeout: field(timeoutSchema.optional().describe('Time after which the connection ends. Default: `168h`')),
    idleTimeout: field(
      timeoutSchema.optional().describe('Time without data after which the connection ends. Default: no limit'),
      {
        name: 'idle-timeout',
        kind: 'duration',
        only: 'ctl',
        help: 'time without data after which a connection ends',
      },
    ),
  },
  answer: z.object({ pod: longText.describe('Name of the pod') }),
  plainField: 'pod',
  changes: () => undefined,
  right: 'exec',
  // newer API servers ask for create, and older ones for get
  resourceRights: [...podRights, { group: '', resources: ['pods/portforward'], verbs: ['create', 'get'] }],
  stream: 'duplex',
  survives: false,
  follows: true,
});
