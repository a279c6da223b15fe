import * as z from 'zod';
import { answerList, objectName } from '../bounded.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';
import { answeredEvent, kindFields, missingField } from './object-fields.ts';

export const listEvents = defineCommand({
  summary: 'Lists the last events of a namespace, of an object, or of the objects and pods of a release.',
  method: 'listEvents',
  fields: {
    namespace: field(objectName.default('default').describe('Namespace of the events')),
    releaseName: field(objectName.optional().describe('Name of a release. Default: all objects'), {
      name: 'release',
      kind: 'text',
      only: 'ctl',
      help: 'only of the objects of a release, and of their pods',
    }),
    kind: field(kindFields.kind.schema.optional().describe('Kind of an object, with `name`. Default: all kinds'), {
      name: 'kind',
      kind: 'text',
      only: 'ctl',
      help: 'only of objects of a kind',
    }),
    apiVersion: kindFields.apiVersion,
    name: field(objectName.optional().describe('Name of an object. Default: all objects'), {
      name: 'name',
      kind: 'text',
      only: 'ctl',
      help: 'only of objects with a name',
    }),
    warnings: field(z.boolean().optional().describe('Only events of the type `Warning`. Default: false'), {
      name: 'warnings',
      kind: 'switch',
      only: 'ctl',
      help: 'only warnings',
    }),
    max: field(z.int().positive().max(5000).optional().describe('Most events, the newest ones. Default: 200'), {
      name: 'max',
      short: 'm',
      kind: 'number',
      default: 200,
      only: 'ctl',
      help: 'most events, the newest ones',
    }),
  },
  answer: z.object({
    events: answerList(answeredEvent).describe('The newest last'),
    omitted: z.int().optional().describe('Number of older events that are left out'),
    missing: missingField,
  }),
  plainField: 'events',
  changes: () => undefined,
  right: 'read',
  survives: false,
  line: {
    name: 'events',
    short: 'List the events of a namespace, a release or an object',
    arguments: [],
    examples: ['-n shop', '-n shop --release web --warnings', '-n shop --kind pod --name web-0'],
  },
});
