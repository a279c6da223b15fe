import * as z from 'zod';
import { actionAnswer, actionOptions, objectKey, scaleRights } from './action-fields.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';
import { objectArguments, objectIdentity } from './object-fields.ts';

export const scaleWorkload = defineCommand({
  summary: 'Sets the number of pods of a workload.',
  method: 'scaleWorkload',
  fields: {
    ...objectIdentity,
    replicas: field(z.int().min(0).max(100_000).describe('Number of pods that it is to have, 0 included')),
    ...actionOptions,
  },
  answer: actionAnswer,
  plainField: 'changes',
  changes: objectKey,
  zeroFields: ['replicas'],
  right: 'act',
  resourceRights: scaleRights,
  survives: true,
  line: {
    name: 'scale',
    short: 'Set the number of pods of a workload',
    arguments: [...objectArguments, { field: 'replicas', kind: 'count', shown: 'REPLICAS' }],
    examples: ['deploy/web 5 -n shop'],
  },
});
