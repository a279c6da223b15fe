import type { LocatedChart } from '../../downloader/index.ts';
import type { CommandAnswers, CommandParameters, CommandType } from '../../protocol/commands/index.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import type { Failure } from '../../protocol/messages.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { readSettings, settingError } from '../settings.ts';
import { shellWord } from '../shell-word.ts';
import { agentSchema, agentSettings } from './agent-setting.ts';
import type { ApiClient, CommandRequest } from './api-client.ts';
import { packedChart } from './chart-to-send.ts';
import { controlPlaneClient, serverSettings } from './control-plane-client.ts';
import { answerSchema, follow, type FollowOptions, knownCommand } from './follow.ts';
import { namespaceAdvice } from './other-namespaces.ts';
import { readAs } from './read-as.ts';

/** Time after which a watch ends by itself if its sender does not continue it, in milliseconds. */
const watchLimitMs = 15 * 60_000;

/** Pause before a watch is continued that the agent has refused for a while, in milliseconds. */
const watchRefusedMs = 5 * 60_000;

/** How long a watch that continues waits for its agent. */
const watchDeliverWithin = '5m';

/** Flags of any `ctl` command, by the names of their values. */
export type Flags = Readonly<Record<string, unknown>>;

export interface PerformOptions<Type extends CommandType> extends Pick<FollowOptions, 'json' | 'quiet'> {
  /** Cancels the command at the first interrupt. Default: the command continues. */
  isCancelledByInterrupt?: boolean;
  /** Chart of this machine, which is sent with the command. Default: the agent finds the chart. */
  chart?: LocatedChart | undefined;
  /** Returns the text for a success. Default: the fields of the release. */
  text?: (answer: CommandAnswers[Type]) => string | Promise<string>;
  /** Returns lines about a success for stderr. Default: none. */
  notes?: (answer: CommandAnswers[Type]) => readonly string[];
  /** Returns why a command that has ended well is a failure nevertheless. Default: it is none. */
  failure?: (answer: CommandAnswers[Type]) => Failure | undefined;
  /** Returns the exit code after a success. Default: 0. */
  exitCode?: (answer: CommandAnswers[Type]) => number;
}

/** Functions that all `ctl` commands share. */
export interface CtlSession {
  readonly dependencies: ProgramDependencies;
  /** Returns the agent that flags or the environment name. Throws an error if there is none. */
  agentOf(flags: Flags): string;
  client(flags: Flags): Promise<ApiClient>;
  /** Sends a command to the agent of `--agent` and follows it. Resolves to the exit code. */
  perform<Type extends CommandType>(
    flags: Flags,
    type: Type,
    payload: CommandParameters[Type],
    options?: PerformOptions<Type>,
  ): Promise<number>;
  /**
   * Follows a command that has been sent. Resolves to the exit code. Rejects with `ApiError` at
   * once if the control plane cannot be reached.
   */
  follow(flags: Flags, key: string, options: Pick<FollowOptions, 'json'>): Promise<number>;
}

export function createSession(dependencies: ProgramDependencies): CtlSession {
  const clientOf = (flags: Flags) => controlPlaneClient(flags, dependencies);
  const agentOf = (flags: Flags) => {
    const { agent } = readSettings(agentSchema, agentSettings, flags, dependencies.env);
    if (agent !== undefined) return agent;
    throw settingError(agentSettings.agent, `name the agent; ${dependencies.programName} ctl agents lists them`);
  };
  const commandHint = (verb: string, key: string, flags: Flags) =>
    [dependencies.programName, 'ctl', verb, shellWord(key), ...givenServerFlags(flags)].join(' ');

  async function followWith(
    client: ApiClient,
    flags: Flags,
    key: string,
    options: Omit<FollowOptions, 'again' | 'stdout' | 'stderr' | 'onInterrupt'> = {},
  ): Promise<number> {
    return await follow(client, key, {
      ...dependencies,
      ...options,
      again: (sent) => commandHint('watch', sent, flags),
    });
  }

  return {
    dependencies,
    client: clientOf,
    agentOf,
    async perform(
      flags,
      type,
      payload,
      { text, notes, failure, exitCode, isCancelledByInterrupt = false, chart, ...options } = {},
    ) {
      if (dependencies.interceptCommand !== undefined) {
        dependencies.interceptCommand({ type, payload, hasChart: chart !== undefined });
        return 0;
      }
      const agent = agentOf(flags);
      const client = await clientOf(flags);
      const never = new AbortController().signal;
      const packed = chart === undefined ? {} : await packedChart(chart, client, never);
      const isRenewed = isCancelledByInterrupt && isRenewable(type, payload, dependencies.table);
      const limit = isRenewed ? { timeout: watchLimitMs / 1000 } : {};
      const request = { type, payload: { ...payload, ...packed, ...limit }, ...deliverWithinOf(flags) };
      const { key } = await client.send(agent, request, never);
      // commands that do not only read wait longer
      const { right } = knownCommand(type, dependencies.table).definition;
      const again = { ...(right === 'read' && { deliverWithin: watchDeliverWithin }), ...request };
      const send = async (signal: AbortSignal, repeated: string) =>
        (await client.send(agent, { ...again, key: repeated }, signal)).key;
      const cancel = async (sent: string, signal: AbortSignal) => {
        await client.send(agent, { type: 'cancel_command', payload: { key: sent } }, signal);
      };
      const now = () => Number(dependencies.host.now() / 1_000_000n);
      const hint = commandHint('cancel', key, flags);
      const answerOf = (result: unknown) => readAs(answerSchema(type, dependencies.table), result, 'result');
      return await followWith(client, flags, key, {
        ...options,
        ...(!options.quiet && !isCancelledByInterrupt && { toCancel: `${hint} --agent ${shellWord(agent)}` }),
        advise: (found) => namespaceAdvice(found, client, agent, payload),
        ...(isCancelledByInterrupt && { cancel }),
        ...(isRenewed && { renewal: { afterMs: watchLimitMs, refusedMs: watchRefusedMs, now, send } }),
        ...(text && { text: (result) => text(answerOf(result)) }),
        ...(exitCode && { exitCode: (result) => exitCode(answerOf(result)) }),
        ...(notes && { notes: (result) => notes(answerOf(result)) }),
        ...(failure && {
          failure: (result) => failure(answerOf(result)),
        }),
      });
    },
    async follow(flags, key, options) {
      return await followWith(await clientOf(flags), flags, key, { ...options, hasResponded: false });
    },
  };
}

/** Whether a command has a time limit that the user has not set. */
function isRenewable(type: CommandType, payload: object, table: CommandTable | undefined): boolean {
  const { fields } = knownCommand(type, table).definition;
  return 'timeout' in fields && !('timeout' in payload && payload.timeout !== undefined);
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
    if (value === true) return [`--${flag}`];
    return typeof value === 'string' ? [`--${flag} ${shellWord(value)}`] : [];
  });
}
