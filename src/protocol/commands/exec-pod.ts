import * as z from 'zod';
import { line, longText, objectName } from '../bounded.ts';
import { timeoutSchema } from '../duration.ts';
import { printableSchema } from '../printable.ts';
import { namespaceField, podNameField, podReleaseField, podRights } from './action-fields.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';

/** Most words of a command, and the longest one in UTF-16 units. */
const maxWords = 1000;
const maxWordLength = 64 * 1024;

/** The largest terminal. */
const maxColumns = 10_000;

/** The longest reason, in UTF-16 units. */
export const maxReasonLength = 1024;

/** The size of a terminal, in characters. */
export const terminalSizeSchema = z.object({
  columns: z.int().positive().max(maxColumns),
  rows: z.int().positive().max(maxColumns),
});

/** A message of a caller in the channel `control`. */
export const execControlSchema = z.discriminatedUnion('type', [
  terminalSizeSchema.extend({ type: z.literal('resize') }),
  z.object({ type: z.literal('end') }),
]);

export const execPod = defineCommand({
  summary: 'Runs a program in a container of a pod, with a stream for what it reads and writes.',
  method: 'execPod',
  fields: {
    namespace: namespaceField,
    name: podNameField,
    releaseName: podReleaseField,
    container: field(
      objectName
        .optional()
        .describe(
          'Name of the container. Default: that of the annotation `kubectl.kubernetes.io/default-container`, or the first one',
        ),
      {
        name: 'container',
        short: 'c',
        kind: 'text',
        only: 'ctl',
        help: 'name of the container (default: the first one)',
      },
    ),
    command: field(
      z
        .array(z.string().max(maxWordLength))
        .min(1)
        .max(maxWords)
        .optional()
        .describe(
          'The program and its arguments. Default: the first shell of `bash`, `sh`, `ash`, `powershell` and `cmd` that the container has',
        ),
    ),
    stdin: field(z.boolean().optional().describe('Whether the program reads what the caller sends. Default: false'), {
      name: 'stdin',
      short: 'i',
      kind: 'switch',
      only: 'ctl',
      help: 'send stdin to the program',
    }),
    tty: field(z.boolean().optional().describe('Whether the program has a terminal. Default: false'), {
      name: 'tty',
      short: 't',
      kind: 'switch',
      only: 'ctl',
      help: 'give the program a terminal',
    }),
    kill: field(
      z
        .boolean()
        .optional()
        .describe(
          'Whether the program, and those that it starts, are ended when the session ends before it: with SIGHUP in a terminal, otherwise with SIGTERM, and after 5 s with SIGKILL. Needs `env`, `sh` and `grep` in the container. Default: false; in a terminal with an input it gets Ctrl-C and Ctrl-D',
        ),
      {
        name: 'kill',
        kind: 'switch',
        only: 'ctl',
        help: 'end the program when the session ends before it; needs env, sh and grep in the container',
      },
    ),
    size: field(terminalSizeSchema.optional().describe('First size of the terminal')),
    timeout: field(timeoutSchema.optional().describe('Time after which the session ends. Default: `168h`'), {
      name: 'timeout',
      kind: 'duration',
      initial: '168h',
      only: 'ctl',
      help: 'time after which the session ends',
    }),
    idleTimeout: field(
      timeoutSchema
        .optional()
        .describe('Time without input and output after which the session ends. Default: no limit'),
      {
        name: 'idle-timeout',
        kind: 'duration',
        only: 'ctl',
        help: 'time without input and output after which the session ends',
      },
    ),
    reason: field(
      printableSchema(maxReasonLength)
        .optional()
        .describe('Why the program is run, for the logs of the agent and the control plane'),
      { name: 'reason', kind: 'text', only: 'ctl', help: 'why the program is run, for the logs' },
    ),
  },
  answer: z.object({
    exitCode: z.int().describe('Exit code of the program'),
    pod: longText.describe('Name of the pod'),
    container: line.describe('Name of the container'),
  }),
  plainField: 'exitCode',
  changes: () => undefined,
  right: 'exec',
  // newer API servers ask for create, and older ones for get
  resourceRights: [...podRights, { group: '', resources: ['pods/exec'], verbs: ['create', 'get'] }],
  stream: 'duplex',
  isSession: true,
  survives: false,
  follows: true,
});
