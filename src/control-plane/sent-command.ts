import type { CancelCommandMode } from '../protocol/commands/cancel-command.ts';
import type { CommandType } from '../protocol/commands/index.ts';
import type { CommandResult } from '../protocol/messages.ts';
import type { CommandEvent } from './command-event.ts';

/**
 * `waiting`: the agent has not been connected since; `sent`: the agent may have it; `accepted`: the
 * agent performs it; `done`: it has a result.
 */
export type CommandState = 'waiting' | 'sent' | 'accepted' | 'done';

/**
 * A command for an agent. Iterating it returns its events, from the first that is kept to the
 * result.
 */
export interface SentCommand<
  Type extends CommandType = CommandType,
  Outcome = CommandResult<Type>,
> extends AsyncIterable<CommandEvent<Type>> {
  readonly key: string;
  readonly agentId: string;
  readonly type: string;
  readonly state: CommandState;
  /**
   * Resolves when the command is stored. Rejects with `ControlPlaneError` `store_unavailable` if it
   * cannot be stored; it was not sent then.
   */
  readonly stored: Promise<void>;
  /**
   * A failure is a result, too. Rejects with `ControlPlaneError` `store_unavailable` when the
   * control plane is closed before the result is stored.
   */
  readonly result: Promise<Outcome>;
  /**
   * Cancels the command, and returns whether it was still running or waiting. Its result is the
   * error `cancelled`. If the agent is not connected, resolves when it is back. Default of `mode`:
   * `undo`.
   */
  cancel(mode?: CancelCommandMode): Promise<boolean>;
}
