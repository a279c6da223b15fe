import * as z from 'zod';
import { defineCommand } from './definition.ts';

export const deploymentInfo = defineCommand({
  summary: 'Returns a Deployment of the cluster.',
  method: 'deploymentInfo',
  payload: z.object({
    namespace: z.string().default('default').describe('Namespace of the Deployment'),
    deploymentName: z.string().describe('Name of the Deployment'),
  }),
  answer: z.object({ deployment: z.looseObject({}).describe('The object as the API server returns it') }),
  plainField: 'deployment',
  changes: () => undefined,
});
