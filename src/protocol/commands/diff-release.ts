import { z } from 'zod';
import { defineCommand } from './definition.ts';
import { chartSource, releaseIdentity, renderOptions, timeoutField, valuesFields } from './fields.ts';

const field = z.object({
  path: z.string().describe('Such as `spec.template.spec.containers[name=app].image`'),
  before: z.unknown().optional().describe('Absent if the field is added'),
  after: z.unknown().optional().describe('Absent if the field is removed'),
});

/** An object that differs. */
export const difference = z.object({
  change: z
    .enum(['added', 'changed', 'recreated', 'removed', 'unknown'])
    .describe('`recreated`: deleted and created again; `unknown`: the API server would refuse the object'),
  apiVersion: z.string(),
  kind: z.string(),
  namespace: z.string().optional(),
  name: z.string(),
  fields: z.array(field).optional().describe('The fields that differ; values of Secrets are `***`'),
  reason: z.string().optional().describe('Why the change is unknown, or was not checked'),
});

export const diffRelease = defineCommand({
  summary: 'Returns what an upgrade, or the first installation, would change.',
  method: 'diff',
  payload: z.object({
    ...releaseIdentity,
    ...chartSource,
    ...valuesFields,
    timeout: timeoutField,
    ...renderOptions,
    against: z
      .enum(['stored', 'live'])
      .optional()
      .describe(
        'Compare with the manifest of the deployed revision, or the live objects with what a dry run of the API server returns for the new ones. Default: `stored`',
      ),
  }),
  answer: z.object({
    differences: z.array(difference).describe('The objects that differ, without hooks'),
    unchanged: z.int().describe('Number of objects that stay as they are'),
  }),
  plainField: 'differences',
  changes: () => undefined,
});
