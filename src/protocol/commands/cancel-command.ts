import * as z from 'zod';
import { maxKeyLength } from '../limits.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';

/** Treatments of the changes of a cancelled command. */
export const cancelModes = ['undo', 'leave', 'park', 'superseded'] as const;

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
});
