import type * as z from 'zod';
import type { CommandParameters, Commands, CommandType } from '../protocol/commands/index.ts';
import type { CommandTable, Definitions } from '../protocol/commands/table.ts';
import type { Failure } from '../protocol/messages.ts';
import type { Principal } from './access/role.ts';
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
  /**
   * The span that sends the command: a `traceparent` of W3C Trace Context. Its trace then has the
   * spans of the control plane and of the agent, if these send spans. Default: none.
   */
  traceparent?: string | undefined;
  /**
   * The user for whom the command is sent, who is its sender by default. It is refused with
   * `forbidden`, or as if the agent did not exist, unless the user's roles allow it. Default: the
   * application sends it, which may do everything.
   */
  principal?: Principal | undefined;
}

/** Values of a chart: YAML text, or plain data. */
type Values = string | Readonly<Record<string, unknown>>;

/** Parameters as callers write them: values can also be plain data. */
export type MethodParameters<Type extends CommandType> = WithPlainValues<CommandParameters[Type]>;

type WithPlainValues<Parameters> = Parameters extends { values?: unknown }
  ? Omit<Parameters, 'values'> & { values?: Values | readonly Values[] | undefined }
  : Parameters;

/** Sends a command with its payload. The payload is optional if all its fields are. */
type CommandMethod<Parameters, Sent> =
  Partial<Parameters> extends Parameters
    ? (agentId: string, parameters?: WithPlainValues<Parameters>, options?: SendOptions) => Sent
    : (agentId: string, parameters: WithPlainValues<Parameters>, options?: SendOptions) => Sent;

type SentOf<All extends Definitions, Type extends keyof All> = Type extends CommandType
  ? SentCommand<Type>
  : SentCommand<CommandType, ({ ok: true } & z.output<All[Type]['answer']>) | { ok: false; error: Failure }>;

/** A method for each command, such as `install(agentId, parameters, options)`. */
export type CommandMethods<All extends Definitions = Commands> = {
  [Type in keyof All as All[Type]['method']]: CommandMethod<z.input<All[Type]['payload']>, SentOf<All, Type>>;
};

export interface SendRequest extends SendOptions {
  type: string;
  /** Its fields, or its JSON text, which is sent as it is. Default: no fields. */
  payload?: Readonly<Record<string, unknown>> | string | undefined;
  /**
   * The signatures of the command, as `signCommand` returns them for the text in `payload` and the
   * `key`. Agents verify them. Default: the command is not signed.
   */
  envelope?: string | undefined;
}

/** Returns the methods of all commands of a table, which send through `send`. */
export function commandMethods<All extends Definitions>(
  { definitions }: CommandTable<All>,
  send: (agentId: string, request: SendRequest) => SentCommand,
): CommandMethods<All> {
  const methods = Object.entries(definitions).map(([type, { method }]) => [
    method,
    (agentId: string, payload: SendRequest['payload'] = {}, options: SendOptions = {}) =>
      send(agentId, { type, payload, ...options }),
  ]);
  return Object.fromEntries(methods) as CommandMethods<All>; // one method for each entry, as the type has them
}
