import type { CommandType } from '../protocol/commands/index.ts';
import type { Evidence } from '../protocol/evidence.ts';
import type { Log } from '../protocol/log.ts';
import type { Accepted, CommandResult, Status } from '../protocol/messages.ts';

/** An event before it has its number. */
export type NewEvent<Type extends CommandType = CommandType> =
  | { type: 'accepted'; payload: Accepted }
  | { type: 'status'; payload: Status }
  | { type: 'evidence'; payload: Evidence }
  | { type: 'log'; payload: Log }
  /** The agent disconnected while the command was running, or reconnected. */
  | { type: 'agent'; payload: { connected: boolean } }
  /** The signature of the agent for the result, which follows: the JSON text of an envelope. */
  | { type: 'signature'; payload: { envelope: string } }
  | { type: 'result'; payload: CommandResult<Type> };

/** An event of a command. `id` counts the command's events from 1. */
export type CommandEvent<Type extends CommandType = CommandType> = { id: number } & NewEvent<Type>;
