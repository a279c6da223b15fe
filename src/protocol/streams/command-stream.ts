import * as z from 'zod';
import { terminalSizeSchema } from '../commands/exec-pod.ts';
import { maxKeyLength } from '../limits.ts';
import { maxNameLength } from '../resource.ts';

/** The longest text of a session's command and reason, in UTF-16 units. */
export const maxSessionText = 1024;

/** The program of a session, as the agent has found it. */
const sessionFactsSchema = z.object({
  pod: z.string().max(maxNameLength),
  container: z.string().max(maxNameLength),
  /** The program and its arguments, which may be shortened. */
  command: z.string().max(maxSessionText),
  tty: z.boolean(),
  size: terminalSizeSchema.optional(),
  reason: z.string().max(maxSessionText).optional(),
});
export type SessionFacts = z.output<typeof sessionFactsSchema>;

/**
 * The header of the stream between a command and its sender. The agent opens it once for a command,
 * when it has found what the command is about. It ends with its connection.
 */
export const commandStreamSchema = z.object({
  kind: z.literal('command'),
  key: z.string().min(1).max(maxKeyLength),
  /** Of a session. Earlier agents do not send it. */
  session: sessionFactsSchema.optional(),
});
export type CommandStreamHeader = z.output<typeof commandStreamSchema>;

/** Whether a header says that it is one of a command, which may have other errors. */
export function isCommandStream(header: unknown): boolean {
  return typeof header === 'object' && header !== null && 'kind' in header && header.kind === 'command';
}
