import type { CommandType } from '../protocol/commands/index.ts';
import type { CommandResult } from '../protocol/messages.ts';
import type { CommandEvent } from './command-event.ts';

export type CommandState = 'sent' | 'accepted' | 'done';

/**
 * A command that was sent to an agent. Iterating it returns its events, from the first that is kept
 * to the result.
 */
export interface SentCommand<Type extends CommandType = CommandType> extends AsyncIterable<CommandEvent<Type>> {
  readonly key: string;
  readonly agentId: string;
  readonly type: string;
  readonly state: CommandState;
  /** Never rejects: a failure is a result, too. */
  readonly result: Promise<CommandResult<Type>>;
}
