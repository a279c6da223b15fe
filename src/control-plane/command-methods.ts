import {
  commands,
  type CommandMethodNames,
  type CommandParameters,
  type CommandType,
} from '../protocol/commands/index.ts';
import type { SentCommand } from './sent-command.ts';

export interface SendOptions {
  /** Key of the command. A known key returns the command that has it. Default: a random UUID. */
  key?: string;
}

/** Sends a command with its payload. The payload is optional if all its fields are. */
type CommandMethod<Type extends CommandType> =
  Partial<CommandParameters[Type]> extends CommandParameters[Type]
    ? (agentId: string, parameters?: CommandParameters[Type], options?: SendOptions) => SentCommand<Type>
    : (agentId: string, parameters: CommandParameters[Type], options?: SendOptions) => SentCommand<Type>;

/** A method for each command, such as `install(agentId, parameters, options)`. */
export type CommandMethods = { [Type in CommandType as CommandMethodNames[Type]]: CommandMethod<Type> };

export interface SendRequest extends SendOptions {
  type: string;
  payload?: unknown;
}

/** Returns the methods of all commands, which send through `send`. */
export function commandMethods(send: (agentId: string, request: SendRequest) => SentCommand): CommandMethods {
  const methods = Object.entries(commands).map(([type, { method }]) => [
    method,
    (agentId: string, payload: object = {}, options: SendOptions = {}) => send(agentId, { type, payload, ...options }),
  ]);
  return Object.fromEntries(methods) as CommandMethods; // one method for each entry, as the type has them
}
