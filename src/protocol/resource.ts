import * as z from 'zod';

/** The longest names of objects, codes and steps, in UTF-16 units. */
export const maxNameLength = 1024;

/** The longest message, in UTF-16 units. Agents shorten theirs to half of it. */
export const maxMessageLength = 128 * 1024;

/** The problem of a resource that is not ready. */
const problemSchema = z.object({
  code: z.string().max(maxNameLength).describe('A problem code of docs/readiness.md'),
  class: z
    .string()
    .max(maxNameLength)
    .describe('`fatal` ends the wait at once, `likely` after a grace, `transient` only at the deadline'),
  failures: z.number().optional().describe('How often it was seen, if it occurs again and again'),
  exit: z
    .string()
    .max(maxNameLength)
    .optional()
    .describe('How the last run of a restarted container ended, such as `1` or `137 OOMKilled`'),
  running: z.boolean().optional().describe('Whether a container that has failed runs again. Default: false'),
  cause: z.string().max(maxNameLength).optional().describe('The problem code of the pod that made a Job fail'),
});

/** How far a workload is. */
const countsSchema = z.object({
  wanted: z.number().describe('Pods that it is to have, or completions of a Job'),
  updated: z.number().optional().describe('Pods of the current revision'),
  ready: z.number().describe('Pods that are ready, or completions of a Job'),
});

/** A resource of a release, and whether it is ready. */
export const resourceSchema = z.object({
  apiVersion: z.string().max(maxNameLength),
  kind: z.string().max(maxNameLength),
  namespace: z.string().max(maxNameLength).optional(),
  name: z.string().max(maxNameLength),
  status: z
    .string()
    .max(maxNameLength)
    .describe("kstatus's word: InProgress, Failed, Current, Terminating, NotFound or Unknown"),
  reason: z.string().max(maxMessageLength).optional().describe('Why the resource is not ready'),
  problem: problemSchema.optional().describe('The same for programs'),
  counts: countsSchema.optional().describe('How far a workload is'),
  since: z
    .string()
    .max(maxNameLength)
    .optional()
    .describe('When status, reason or counts last changed, RFC 3339; as far as the agent or the object knows'),
  log: z
    .string()
    .max(maxMessageLength)
    .optional()
    .describe('In an error: the end of the log of a container that has failed'),
});
