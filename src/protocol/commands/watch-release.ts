import * as z from 'zod';
import { answerList } from '../bounded.ts';
import { driftSchema } from '../drift.ts';
import { timeoutSchema } from '../duration.ts';
import { defineCommand } from './definition.ts';
import { ignoreField, uncomparedField } from './drift-fields.ts';
import { field } from './field.ts';
import { releaseStatus } from './release-status.ts';

export const watchRelease = defineCommand({
  summary:
    'Follows one revision of a release until it is cancelled. The first status packet has all its objects, further ones those whose status, reason or counts change.',
  method: 'watch',
  fields: {
    ...releaseStatus.fields,
    timeout: field(
      timeoutSchema
        .optional()
        .describe('Time after which it ends by itself: a Go duration (`30m`) or a number of seconds. Default: `24h`'),
      { name: 'timeout', kind: 'duration', help: 'with --watch: the time after which it ends (default: never)' },
    ),
    drift: field(
      z
        .boolean()
        .optional()
        .describe(
          'Also report the objects that are changed in the cluster, compared with the newest revision; not with `version`. Default: false',
        ),
    ),
    ignore: ignoreField,
  },
  answer: releaseStatus.answer.extend({
    drift: answerList(driftSchema).optional().describe('With `drift`: the objects that differ at the end'),
    uncompared: uncomparedField,
  }),
  plainField: 'release',
  changes: () => undefined,
  right: 'read',
  survives: false,
  follows: true,
});
