import * as z from 'zod';
import { answeredObject } from './commands/object-fields.ts';
import { resourceSchema } from './resource.ts';

/** Number of objects in one status packet. Agents send several packets for more. */
export const maxChangedObjects = 100;

/** The longest JSON text of an object that is sent as a whole, in UTF-16 units. */
export const maxObjectLength = 256 * 1024;

/** The longest JSON text of all objects in one status packet, in UTF-16 units. */
export const maxObjectsLength = 1024 * 1024;

/** A change of an object that is followed. */
export const objectChangeSchema = resourceSchema.pick({ status: true, reason: true, counts: true }).extend({
  change: z.enum(['present', 'added', 'changed', 'deleted']).describe('`present`: it was there when the watch began'),
  object: answeredObject,
  omitted: z
    .boolean()
    .optional()
    .describe('Whether only kind, name and namespace are sent: the object is deleted, or too large. Default: false'),
});
export type ObjectChange = z.output<typeof objectChangeSchema>;
