import { z } from 'zod';
import {
  commands,
  type CommandAnswers,
  type CommandParameters,
  type CommandType,
} from '../../protocol/commands/index.ts';
import type { Failure } from '../../protocol/messages.ts';
import { readToken } from '../check-settings.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { insecureTransportSetting, requireSecureTransport } from '../insecure-transport.ts';
import { readSettings, switchSchema, type Settings } from '../settings.ts';
import { shellWord } from '../shell-word.ts';
import { createApiClient, type ApiClient } from './api-client.ts';
import { follow, type FollowOptions } from './follow.ts';
import { readAs } from './result-text.ts';

export const serverSettings = {
  server: {
    flag: '--server <url>',
    variable: 'HELM_AGENT_SERVER',
    description: 'URL of the control plane',
    default: 'http://127.0.0.1:8088',
  },
  tokenFile: {
    flag: '--token-file <file>',
    variable: 'HELM_AGENT_TOKEN_FILE',
    description: "file with the token for the control plane's API",
  },
  insecureTransport: insecureTransportSetting,
} satisfies Settings<string>;

const serverSchema = z.object({
  server: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).default('http://127.0.0.1:8088'),
  tokenFile: z.string().optional(),
  insecureTransport: switchSchema,
});

/** Flags of any `ctl` command, by commander's names. */
export type Flags = Readonly<Record<string, unknown>>;

export interface PerformOptions<Type extends CommandType> extends Pick<FollowOptions, 'quiet'> {
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
  async function clientOf(flags: Flags): Promise<ApiClient> {
    const settings = readSettings(serverSchema, serverSettings, flags, dependencies.env);
    const { server, tokenFile } = settings;
    requireSecureTransport(serverSettings.server, { ...settings, url: server });
    const token =
      tokenFile === undefined ? undefined : await readToken(serverSettings.tokenFile, tokenFile, dependencies);
    return createApiClient({ server, token, fetch: (url, init) => dependencies.fetch(url, init) });
  }

  async function followWith(
    client: ApiClient,
    flags: Flags,
    key: string,
    options: Pick<FollowOptions, 'failure' | 'json' | 'quiet' | 'text'> = {},
  ): Promise<number> {
    const again = [dependencies.programName, 'ctl watch', shellWord(key), ...givenServerFlags(flags)].join(' ');
    exit.code = await follow(client, key, { ...dependencies, ...options, again });
    return exit.code;
  }

  return {
    dependencies,
    client: clientOf,
    async perform(flags, type, payload, { text, failure, ...options } = {}) {
      const client = await clientOf(flags);
      const { key } = await client.send(String(flags['agent']), { type, payload }, new AbortController().signal);
      return await followWith(client, flags, key, {
        ...options,
        ...(text && { text: (result) => text(readAs(answerSchema(type), result, 'result')) }),
        ...(failure && { failure: (result) => failure(readAs(answerSchema(type), result, 'result')) }),
      });
    },
    async follow(flags, key) {
      await followWith(await clientOf(flags), flags, key, { json: flags['output'] === 'json' });
    },
  };
}

function answerSchema<Type extends CommandType>(type: Type): z.ZodType<CommandAnswers[Type]> {
  return commands[type].answer as unknown as z.ZodType<CommandAnswers[Type]>; // the entry of its own type
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
