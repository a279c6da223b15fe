import * as z from 'zod';
import { answerList, line, longText, objectName, selector } from '../bounded.ts';
import { field } from './field.ts';

/** The fields that name a kind. */
export const kindFields = {
  kind: field(
    objectName
      .min(1)
      .describe(
        'The kind, as `kubectl` takes it: `Deployment`, `deployments`, `deploy`, or `deployments.apps` with the group',
      ),
  ),
  apiVersion: field(
    objectName.optional().describe('Its group and version, such as `apps/v1`. Default: those that the cluster prefers'),
    { name: 'api-version', kind: 'text', only: 'ctl', help: 'group and version of the kind, such as apps/v1' },
  ),
};

/** The fields that name an object. */
export const objectIdentity = {
  ...kindFields,
  namespace: field(objectName.default('default').describe('Namespace of the object, if its kind has namespaces')),
  name: field(objectName.min(1).describe('Name of the object')),
};

/** The arguments of commands about one object. */
export const objectArguments = [
  { field: 'kind', kind: 'name', shown: 'KIND' },
  { field: 'name', kind: 'name', shown: 'NAME' },
] as const;

export const labelSelectorField = field(
  selector.optional().describe('Label selector, such as `app=web,tier in (a,b)`. Default: all'),
  { name: 'selector', short: 'l', kind: 'text', only: 'ctl', help: 'label selector: app=web,tier in (a,b)' },
);

/** An object in an answer. */
export const answeredObject = z
  .looseObject({})
  .describe(
    'The object as the API server returns it, without `managedFields`, and with `***` in place of secrets and of all values of Secrets',
  );

/** An event in an answer. */
export const answeredEvent = z.object({
  time: line.optional().describe('When it was last seen, RFC 3339'),
  type: longText.describe('`Normal` or `Warning`'),
  reason: longText,
  object: longText.describe('What it is about, such as `Pod/web-1`'),
  namespace: longText.optional(),
  message: longText,
  count: z.int().describe('How often it was seen'),
});

/** The errors about what could not be read. */
export const missingField = answerList(longText)
  .optional()
  .describe('Why parts of the answer are missing, such as `nodes is forbidden`');
