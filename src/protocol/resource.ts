import { z } from 'zod';

/** The longest names of objects, codes and steps, in UTF-16 units. */
export const maxNameLength = 1024;

/** The longest message, in UTF-16 units. Agents shorten theirs to half of it. */
export const maxMessageLength = 128 * 1024;

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
});
