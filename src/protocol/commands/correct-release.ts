import * as z from 'zod';
import { timeoutSchema } from '../duration.ts';
import { defineCommand, releaseKey } from './definition.ts';
import { driftAnswer, ignoreField, uncomparedField } from './drift-fields.ts';
import { field } from './field.ts';
import { releaseIdentity } from './release-fields.ts';

export const correctRelease = defineCommand({
  summary: 'Puts back the objects of a release that were changed or deleted in the cluster.',
  method: 'correct',
  fields: {
    ...releaseIdentity,
    ignore: ignoreField,
    watch: field(
      z
        .boolean()
        .optional()
        .describe(
          'Follow the release until the command is cancelled or its time is over, and put back each change. Default: false',
        ),
    ),
    timeout: field(
      timeoutSchema
        .optional()
        .describe(
          'Time limit, the wait for its turn included: a Go duration (`30m`) or a number of seconds. Default: `5m`, with `watch` `24h`',
        ),
    ),
  },
  answer: driftAnswer.extend({ uncompared: uncomparedField }),
  plainField: 'drift',
  // one that follows the release takes its turn on it for each correction
  changes: (payload) =>
    payload.watch === true ? `${payload.namespace}/drift/${payload.releaseName}` : releaseKey(payload),
  right: 'deploy',
  survives: true,
});
