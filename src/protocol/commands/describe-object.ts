import * as z from 'zod';
import { answerList, longText } from '../bounded.ts';
import { resourceSchema } from '../resource.ts';
import { defineCommand } from './definition.ts';
import { answeredEvent, answeredObject, missingField, objectArguments, objectIdentity } from './object-fields.ts';

const condition = z.object({
  type: longText,
  status: longText,
  reason: longText.optional(),
  message: longText.optional(),
});

const owner = z.object({
  apiVersion: longText,
  kind: longText,
  name: longText,
  exists: z.boolean().optional().describe('False if it is gone. Absent if it cannot be read'),
});

export const describeObject = defineCommand({
  summary: 'Returns an object with its owners, conditions, pods and events, and why it is not ready.',
  method: 'describeObject',
  fields: objectIdentity,
  answer: z.object({
    object: answeredObject,
    status: resourceSchema.describe('Its status by the rules of a wait'),
    belongsTo: z.object({ namespace: longText, name: longText }).optional().describe('The release that it names'),
    owners: answerList(owner).describe('Its owner, the owner of that one, and so on, at most 10'),
    conditions: answerList(condition),
    pods: answerList(z.object({ name: longText, phase: longText, ready: z.boolean(), restarts: z.int() })).describe(
      'The pods of a workload, at most 100',
    ),
    events: answerList(answeredEvent).describe('Its last events and those of its pods, the newest last, at most 50'),
    missing: missingField,
  }),
  plainField: 'object',
  changes: () => undefined,
  right: 'read',
  survives: false,
  line: {
    name: 'describe',
    short: 'Show an object with its owners, conditions and events',
    arguments: objectArguments,
    examples: ['deploy/web -n shop', 'pod web-0 -n shop -o json'],
  },
});
