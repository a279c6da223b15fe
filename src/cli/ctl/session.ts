import type { CommandAnswers, CommandParameters, CommandType } from '../../protocol/commands/index.ts';
import type { Failure } from '../../protocol/messages.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { shellWord } from '../shell-word.ts';
import type { ApiClient, CommandRequest } from './api-client.ts';
import { controlPlaneClient, serverSettings } from './control-plane-client.ts';
import { follow, type FollowOptions } from './follow.ts';
import { readAs } from './read-as.ts';
import { answerSchema } from './result-text.ts';

/** Flags of any `ctl` command, by commander's names. */
export type Flags = Readonly<Record<string, unknown>>;

export interface PerformOptions<Type extends CommandType> extends Pick<FollowOptions, 'json' | 'quiet'> {
  /** Cancels the command at the first interrupt. Default: the command continues. */
  isCancelledByInterrupt?: boolean;
  /** Returns the text for a success. Default: the fields of the release. */
  text?: (answer: CommandAnswers[Type]) => string;
  /** Returns why a command that has ended well is a failure nevertheless. Default: it is none. */
  failure?: (answer: CommandAnswers[Type]) => Failure | undefined;
}

/** Functions that all `ctl` commands share. */
export interface CtlSession {
  readonly dependencies: ProgramDependencies;
  client(flags: Flags): Promise<ApiClient>;
  /** Sends a command to the agent of `--agent`, follows it, and sets and returns the exit code. */
  perform<Type extends CommandType>(
    flags: Flags,
    type: Type,
    payload: CommandParameters[Type],
    options?: PerformOptions<Type>,
  ): Promise<number>;
  /** Follows a command that has been sent, and sets the exit code. */
  follow(flags: Flags, key: string): Promise<void>;
}

export function createSession(dependencies: ProgramDependencies, exit: { code: number }): CtlSession {
  const clientOf = (flags: Flags) => controlPlaneClient(flags, dependencies);

  async function followWith(
    client: ApiClient,
    flags: Flags,
    key: string,
    options: Pick<FollowOptions, 'cancel' | 'failure' | 'json' | 'quiet' | 'text'> = {},
  ): Promise<number> {
    const again = [dependencies.programName, 'ctl watch', shellWord(key), ...givenServerFlags(flags)].join(' ');
    exit.code = await follow(client, key, { ...dependencies, ...options, again });
    return exit.code;
  }

  return {
    dependencies,
    client: clientOf,
    async perform(flags, type, payload, { text, failure, isCancelledByInterrupt = false, ...options } = {}) {
      const client = await clientOf(flags);
      const agent = String(flags['agent']);
      const request = { type, payload, ...deliverWithinOf(flags) };
      const { key } = await client.send(agent, request, new AbortController().signal);
      const cancel = async (signal: AbortSignal) => {
        await client.send(agent, { type: 'cancel_command', payload: { key } }, signal);
      };
      return await followWith(client, flags, key, {
        ...options,
        ...(isCancelledByInterrupt && { cancel }),
        ...(text && { text: (result) => text(readAs(answerSchema(type), result, 'result')) }),
        ...(failure && { failure: (result) => failure(readAs(answerSchema(type), result, 'result')) }),
      });
    },
    async follow(flags, key) {
      await followWith(await clientOf(flags), flags, key, { json: flags['output'] === 'json' });
    },
  };
}

function deliverWithinOf({ deliverWithin }: Flags): Pick<CommandRequest, 'deliverWithin'> {
  if (typeof deliverWithin !== 'string') return {};
  return { deliverWithin: deliverWithin === 'false' ? false : deliverWithin };
}

/**
 * Returns the flags of the control plane as they were given, for a command that is to reach it too.
 */
function givenServerFlags(flags: Flags): string[] {
  return Object.entries(serverSettings).flatMap(([name, { flag }]) => {
    const value = flags[name];
    if (value === true) return [flag];
    return typeof value === 'string' ? [`${flag.split(' ')[0] ?? flag} ${shellWord(value)}`] : [];
  });
}
