import * as z from 'zod';
import { maxKeyLength } from '../limits.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';

/** Treatments of the changes of a cancelled command. */
const cancelModes = ['undo', 'leave', 'park', 'superseded'] as const;

export type CancelCommandMode = (typeof cancelModes)[number];

export const cancelCommand = defineCommand({
  summary:
    'Cancels a command that runs or waits. Its result is the error `cancelled`; what it has changed is undone if it is atomic, unless `mode` says otherwise.',
  method: 'cancel',
  fields: {
    key: field(z.string().min(1).max(maxKeyLength).describe('Key of the command')),
    mode: field(
      z
        .enum(cancelModes)
        .optional()
        .describe(
          'What becomes of its changes: `undo`; `leave` or `superseded`, which leave the objects and store the revision as `failed`; `park` stops at once and leaves the revision `pending-*`, for a command with `recover`. Default: `undo`',
        ),
      {
        name: 'mode',
        kind: 'choice',
        choices: { undo: 'undo', leave: 'leave', park: 'park', superseded: 'superseded' },
        initial: 'undo',
        only: 'ctl',
        help: 'what becomes of its changes: undo; leave or superseded, which leave them in a failed revision; park, which leaves them in a pending one',
      },
    ),
  },
  answer: z.object({
    cancelled: z
      .boolean()
      .describe('False if no command with the key runs or waits. One that is already ready may still succeed'),
  }),
  plainField: 'cancelled',
  changes: () => undefined,
  right: 'deploy',
  survives: false,
  asAgent: true, // it sends nothing to the cluster
  line: {
    name: 'cancel',
    short: 'Cancel a command that runs or waits',
    arguments: [{ field: 'key', kind: 'name', shown: 'KEY' }],
    examples: ['2f1c6f0e-6a51-4b1c-9a57-0d9f0f0a3f5e', '2f1c6f0e-6a51-4b1c-9a57-0d9f0f0a3f5e --mode leave'],
  },
});
