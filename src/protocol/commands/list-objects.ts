import * as z from 'zod';
import { answerList, longText, objectName, selector } from '../bounded.ts';
import { resourceSchema } from '../resource.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';
import { answeredObject, kindFields, labelSelectorField } from './object-fields.ts';

const listed = resourceSchema
  .pick({ status: true, reason: true, counts: true })
  .extend({ object: answeredObject })
  .describe('An object, and its status by its own fields');

export const listObjects = defineCommand({
  summary: 'Lists the objects of a kind, page by page.',
  method: 'listObjects',
  fields: {
    ...kindFields,
    namespace: field(objectName.optional().describe('Namespace of the objects. Default: all namespaces')),
    selector: labelSelectorField,
    fieldSelector: field(
      selector.optional().describe('Field selector, such as `status.phase=Running`, of the fields that the kind has'),
      { name: 'field-selector', kind: 'text', only: 'ctl', help: 'field selector: status.phase=Running' },
    ),
    max: field(
      z
        .int()
        .positive()
        .max(1000)
        .optional()
        .describe('Most objects of the page; large objects make it shorter. Default: 100'),
      { name: 'max', short: 'm', kind: 'number', default: 100, only: 'ctl', help: 'most objects to list' },
    ),
    continue: field(
      z.string().max(8192).optional().describe('The `continue` of the page before. Default: the first page'),
      { name: 'continue', kind: 'text', only: 'ctl', help: 'continue after the page that printed this text' },
    ),
  },
  answer: z.object({
    objects: answerList(listed).describe('Sorted by namespace and name'),
    continue: longText.optional().describe('For the next page. Absent on the last one'),
    remaining: z.int().optional().describe('Number of objects after this page, if the API server knows it'),
  }),
  plainField: 'objects',
  changes: () => undefined,
  right: 'read',
  survives: false,
  line: {
    name: 'list-objects',
    short: 'List the objects of a kind',
    arguments: [{ field: 'kind', kind: 'name', shown: 'KIND' }],
    examples: ['pods -n shop -l app=web', 'certificates.cert-manager.io -A -o yaml'],
  },
});
