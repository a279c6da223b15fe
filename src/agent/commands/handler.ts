import type { Progress } from '../../operation/progress.ts';
import type { CommandPayloads, CommandType } from '../../protocol/commands.ts';
import type { Answer } from '../../protocol/messages.ts';
import type { Logger } from '../logger.ts';

export interface CommandContext {
  /** Aborts when the agent stops: what was done is undone where the command says so. Its reason is an Error with code `cancelled`. */
  signal: AbortSignal;
  /** Aborts when there is no time left to undo anything. */
  abandon: AbortSignal;
  progress(progress: Progress): void;
  log: Logger;
}

/** Performs a command. What it throws becomes the command's error, with its `code` where the protocol lists it. */
type CommandHandler<Type extends CommandType> = (
  payload: CommandPayloads[Type],
  context: CommandContext,
) => Promise<Answer>;

export type CommandHandlers = { [Type in CommandType]: CommandHandler<Type> };
