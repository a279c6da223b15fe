import {
  commands,
  type CommandMethodNames,
  type CommandParameters,
  type CommandType,
} from '../protocol/commands/index.ts';
import type { SentCommand } from './sent-command.ts';

export interface SendOptions {
  /** Key of the command. A known key returns the command that has it. Default: a random UUID. */
  key?: string | undefined;
  /** Cancels the command when it aborts. */
  signal?: AbortSignal | undefined;
  /**
   * Time for the agent to connect: a Go duration (`10m`, `24h`) or a number of seconds, at most
   * `168h`. Until then the command waits; afterwards it fails with `command_expired`. False refuses
   * a command for an agent that is not connected. Default: `24h`, and false for commands that only
   * read, and for agents that were never connected and are not registered.
   */
  deliverWithin?: string | number | false | undefined;
  /**
   * Who sends the command, such as a user or a pipeline: up to 256 characters, none of them a
   * control character. The logs of the control plane and of the agent name it. Default: none.
   */
  sentBy?: string | undefined;
}

/** Values of a chart: YAML text, or plain data. */
type Values = string | Readonly<Record<string, unknown>>;

/** Parameters as callers write them: values can also be plain data. */
export type MethodParameters<Type extends CommandType> = CommandParameters[Type] extends { values?: unknown }
  ? Omit<CommandParameters[Type], 'values'> & { values?: Values | readonly Values[] | undefined }
  : CommandParameters[Type];

/** Sends a command with its payload. The payload is optional if all its fields are. */
type CommandMethod<Type extends CommandType> =
  Partial<CommandParameters[Type]> extends CommandParameters[Type]
    ? (agentId: string, parameters?: MethodParameters<Type>, options?: SendOptions) => SentCommand<Type>
    : (agentId: string, parameters: MethodParameters<Type>, options?: SendOptions) => SentCommand<Type>;

/** A method for each command, such as `install(agentId, parameters, options)`. */
export type CommandMethods = { [Type in CommandType as CommandMethodNames[Type]]: CommandMethod<Type> };

export interface SendRequest extends SendOptions {
  type: string;
  payload?: Readonly<Record<string, unknown>> | undefined;
}

/** Returns the methods of all commands, which send through `send`. */
export function commandMethods(send: (agentId: string, request: SendRequest) => SentCommand): CommandMethods {
  const methods = Object.entries(commands).map(([type, { method }]) => [
    method,
    (agentId: string, payload: SendRequest['payload'] = {}, options: SendOptions = {}) =>
      send(agentId, { type, payload, ...options }),
  ]);
  return Object.fromEntries(methods) as CommandMethods; // one method for each entry, as the type has them
}
