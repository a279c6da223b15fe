import * as z from 'zod';
import { timeoutSchema } from '../duration.ts';
import { defineCommand } from './definition.ts';
import { field, without } from './field.ts';
import { listObjects } from './list-objects.ts';

export const watchObjects = defineCommand({
  summary:
    'Follows the objects of a kind until it is cancelled. The first status packets have all objects, further ones those that change.',
  method: 'watchObjects',
  fields: {
    ...without(listObjects.fields, 'max', 'continue'),
    timeout: field(
      timeoutSchema
        .optional()
        .describe('Time after which it ends by itself: a Go duration (`30m`) or a number of seconds. Default: `24h`'),
      {
        ...{ name: 'timeout', kind: 'duration', only: 'ctl' },
        help: 'with --watch: the time after which it ends (default: never)',
      },
    ),
  },
  answer: z.object({
    reported: z.int().describe('Number of changes that were sent, with the objects at the beginning'),
  }),
  plainField: 'reported',
  changes: () => undefined,
  right: 'read',
  survives: false,
  follows: true,
});
