import * as z from 'zod';
import { maxKeyLength } from '../limits.ts';

/**
 * The header of the stream between a command and its sender. The agent opens it once for a command,
 * when it has found what the command is about. It ends with its connection.
 */
export const commandStreamSchema = z.object({
  kind: z.literal('command'),
  key: z.string().min(1).max(maxKeyLength),
});
export type CommandStreamHeader = z.output<typeof commandStreamSchema>;

/** Whether a header says that it is one of a command, which may have other errors. */
export function isCommandStream(header: unknown): boolean {
  return typeof header === 'object' && header !== null && 'kind' in header && header.kind === 'command';
}
