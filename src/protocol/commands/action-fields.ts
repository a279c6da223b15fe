import * as z from 'zod';
import { answerList, longText, objectName } from '../bounded.ts';
import { field } from './field.ts';
import { timeoutField } from './wait-fields.ts';

/** The options of commands that change what runs. */
export const actionOptions = {
  timeout: timeoutField,
  wait: field(z.boolean().optional().describe('Wait until the objects are ready, as after an upgrade. Default: true'), {
    name: 'wait',
    kind: 'toggle',
    only: 'ctl',
    help: 'wait until the objects are ready',
  }),
};

export const namespaceField = field(objectName.default('default').describe('Namespace of the object'));

/** The answer of commands that change what runs. */
export const actionAnswer = z.object({
  changes: answerList(
    z.object({
      apiVersion: longText,
      kind: longText,
      namespace: longText.optional(),
      name: longText,
      change: longText.describe('Such as `scaled from 2 to 5`'),
    }),
  ).describe('The objects that were changed. Empty if all were as requested'),
});

/** Returns the key by which commands on an object run one after the other. */
export function objectKey({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/objects/${name}`;
}
