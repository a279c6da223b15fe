import * as z from 'zod';
import { objectName } from '../bounded.ts';
import { defineCommand } from './definition.ts';
import { field } from './field.ts';

export const deploymentInfo = defineCommand({
  summary: 'Returns a Deployment of the cluster.',
  method: 'deploymentInfo',
  fields: {
    namespace: field(objectName.default('default').describe('Namespace of the Deployment')),
    deploymentName: field(objectName.describe('Name of the Deployment')),
  },
  answer: z.object({
    deployment: z.looseObject({}).describe('The object as the API server returns it, with `***` in place of secrets'),
  }),
  plainField: 'deployment',
  changes: () => undefined,
  right: 'read',
  survives: false,
});
