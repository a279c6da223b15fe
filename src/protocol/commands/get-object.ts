import * as z from 'zod';
import { defineCommand } from './definition.ts';
import { answeredObject, objectArguments, objectIdentity } from './object-fields.ts';

export const getObject = defineCommand({
  summary: 'Returns an object of any kind.',
  method: 'getObject',
  fields: objectIdentity,
  answer: z.object({ object: answeredObject }),
  plainField: 'object',
  changes: () => undefined,
  right: 'read',
  survives: false,
  line: {
    name: 'get-object',
    short: 'Print an object of any kind',
    arguments: objectArguments,
    examples: ['deploy/web -n shop', 'secret web -n shop -o json'],
  },
});
