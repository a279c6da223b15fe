import { z } from 'zod';
import { maxKeyLength } from '../limits.ts';
import { defineCommand } from './definition.ts';

export const cancelCommand = defineCommand({
  summary:
    'Cancels a command that runs or waits. Its result is the error `cancelled`; what it has changed is undone if it is atomic.',
  method: 'cancel',
  payload: z.object({
    key: z.string().min(1).max(maxKeyLength).describe('Key of the command'),
  }),
  answer: z.object({
    cancelled: z
      .boolean()
      .describe('False if no command with the key runs or waits. One that is already ready may still succeed'),
  }),
  plainField: 'cancelled',
  changes: () => undefined,
});
