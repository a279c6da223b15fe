import * as z from 'zod';
import { maxMessageLength, maxNameLength } from './resource.ts';

const name = z.string().max(maxNameLength);

/** Number of lines in one packet. Agents send fewer. */
const maxLines = 50_000;

/** Lines that a container has written while a command waited for it. */
export const logSchema = z.object({
  seq: z.int().positive().describe("Counts the command's log packets from 1; a gap is a packet that was dropped"),
  step: name.describe('The step that waits for the resource'),
  time: name.describe('RFC 3339 in UTC, with milliseconds'),
  resource: z
    .object({ apiVersion: name, kind: name, namespace: name.optional(), name })
    .describe('The Job or Pod that the container belongs to'),
  event: name.optional().describe('The event, such as `pre-install`, if the resource is a hook'),
  pod: name,
  container: name,
  lines: z.array(z.string().max(maxMessageLength)).max(maxLines).describe('In their order, without line breaks'),
  omitted: z
    .object({ lines: z.int(), bytes: z.int() })
    .optional()
    .describe('What was left out after these lines, because the container has written too much'),
  isFull: z
    .boolean()
    .optional()
    .describe('True in the last log packet of a command that has sent as much of logs as it may'),
});
export type Log = z.output<typeof logSchema>;
