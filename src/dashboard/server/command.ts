import type { CommandAnswers, CommandParameters, CommandType } from '../../protocol/commands/index.ts';
import type { CommandResult, Failure } from '../../protocol/messages.ts';
import type { Api } from './api.ts';

/** The failure of a command. */
export class CommandError extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** A command that the control plane has stored. */
interface SentCommand {
  readonly key: string;
}

/** Sends a command, and returns its key. Rejects with `ApiError`. */
export async function sendCommand<Type extends CommandType>(
  api: Api,
  agentId: string,
  type: Type,
  payload: CommandParameters[Type],
): Promise<string> {
  const { key } = await api.send<SentCommand>('POST', `/api/agents/${encodeURIComponent(agentId)}/commands`, {
    type,
    payload,
  });
  return key;
}

/**
 * Performs a command, and returns the fields of its result. Rejects with `CommandError` if it
 * fails, and with `ApiError`.
 */
export async function performCommand<Type extends CommandType>(
  api: Api,
  { agentId, type, payload }: { agentId: string; type: Type; payload: CommandParameters[Type] },
  signal: AbortSignal,
): Promise<CommandAnswers[Type]> {
  const key = await sendCommand(api, agentId, type, payload);
  const isLast = (event: { type: string }) => event.type === 'result';
  for await (const event of api.events(`/api/commands/${encodeURIComponent(key)}/events`, { signal, isLast })) {
    if (event.type !== 'result') continue;
    // the control plane has validated it
    const result = event.payload as CommandResult<Type>;
    if (!result.ok) throw new CommandError(result.error);
    return result;
  }
  throw new Error('the command has ended without a result');
}
