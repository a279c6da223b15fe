import * as z from 'zod';
import { maxMessageLength, maxNameLength } from './resource.ts';

/** Number of fields of one object that are named. Agents count all others. */
export const maxDriftFields = 50;

/** Number of objects in one status packet. Agents send several packets for more. */
export const maxDrifted = 20;

const name = z.string().max(maxNameLength);

const driftFieldSchema = z.object({
  path: z.string().max(maxMessageLength).describe('Such as `spec.template.spec.containers[name=app].image`'),
  found: z.unknown().optional().describe('The value in the cluster. Absent if it was removed'),
  wanted: z.unknown().optional().describe('The value of the release. Absent if the release does not have it'),
  manager: name.optional().describe('The field manager that owns the value, as far as `managedFields` says'),
  time: name.optional().describe('When that manager last changed the object, RFC 3339'),
});

/** The difference between an object in the cluster and the manifest of its release. */
export const driftSchema = z.object({
  change: z
    .enum(['changed', 'deleted', 'unknown', 'none'])
    .describe(
      'What has happened to the object. `unknown`: it could not be compared; `none`: it is again as the release has it',
    ),
  apiVersion: name,
  kind: name,
  namespace: name.optional(),
  name,
  fields: z
    .array(driftFieldSchema)
    .max(maxDriftFields)
    .optional()
    .describe('The fields that were changed. Long values are cut, and values of Secrets are `***`'),
  omitted: z.int().optional().describe('Number of further fields'),
  corrected: z.boolean().optional().describe('Whether the agent has put the object back. Default: false'),
  reason: z
    .string()
    .max(maxMessageLength)
    .optional()
    .describe('Why the object could not be compared, or was not put back'),
});
export type Drift = z.output<typeof driftSchema>;
