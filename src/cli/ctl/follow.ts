import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import { sleep } from '../../async/index.ts';
import { messageOf } from '../../errors/index.ts';
import { type CommandAnswers, commandTable, type CommandType } from '../../protocol/commands/index.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import type { Failure, Result } from '../../protocol/messages.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { oneLine } from '../text.ts';
import type { ApiClient, Event } from './api-client.ts';
import { ApiError } from './api-request.ts';
import { joinedWatches } from './joined-watches.ts';
import { reconnection, type ReconnectionOptions } from './reconnection.ts';
import { failureText, type Success, successText } from './result-text.ts';
import { createScreen, jsonScreen, type Screen, silentScreen } from './screen.ts';

/** Most time in milliseconds between the start of a watch and the beginning of following it. */
const startMs = 60_000;

/** Most time in milliseconds by which the clock of an agent may be set during a watch. */
const clockMs = 5000;

/** Why the continuation of a watch may be refused for a while, and when it is not any more. */
const refusals: ReadonlyMap<string, string> = new Map([
  ['denied_by_policy', 'when the policy allows it'],
  ['busy', 'when there is room for it'],
]);

/** Exit code of a process that a closed pipe has ended, as in shells. */
const brokenPipeCode = 141;

export interface FollowOptions
  extends
    Pick<ProgramDependencies, 'stdout' | 'stderr' | 'onInterrupt'>,
    Pick<ReconnectionOptions, 'hasResponded' | 'retryMs'> {
  /** Returns a shell command that follows a command again, for the hint after Ctrl-C. */
  again: (key: string) => string;
  /** Returns the text for a success. Default: the fields of the release. */
  text?: (result: Success) => string | Promise<string>;
  /** Returns lines about a success for stderr, which may be indented. Default: none. */
  notes?: (result: Success) => readonly string[];
  /** Returns why a command that has ended well is a failure nevertheless. Default: it is none. */
  failure?: (result: Success) => Failure | undefined;
  /** Returns the exit code after a success. Default: 0. */
  exitCode?: (result: Success) => number;
  /** Returns advice about a failure, a line that is shown before it. Default: none. */
  advise?: (failure: Failure) => Promise<string | undefined>;
  /** Shell command that cancels the command, for the hint after Ctrl-C. Default: no hint. */
  toCancel?: string;
  /** Prints all events as JSON on stdout, and nothing else. Default: false. */
  json?: boolean;
  /** Does not show progress, for commands that only read. Default: false. */
  quiet?: boolean;
  /**
   * Ends the command at the first interrupt, and its result is shown; a second one stops following.
   * Default: the first one stops following.
   */
  cancel?: (key: string, signal: AbortSignal) => Promise<void>;
  /** Default: a command that ends is not sent again. */
  renewal?: Renewal | undefined;
}

/**
 * How a watch is continued that ends by itself, so that an agent does not continue one for long
 * whose sender is gone.
 */
interface Renewal {
  /** Time after which it ends by itself, in milliseconds. */
  afterMs: number;
  /** Pause before it is continued if the agent has refused that for a while, in milliseconds. */
  refusedMs: number;
  /** Returns the time in milliseconds. */
  now: () => number;
  /** Sends the command again with a key, which may have been sent before. Returns the key. */
  send: (signal: AbortSignal, key: string) => Promise<string>;
}

/**
 * Shows the progress of a command on stderr, or changes that are watched on stdout, until it ends,
 * then prints its result: a success on stdout, a failure on stderr. Returns the exit code.
 */
export async function follow(
  client: Pick<ApiClient, 'events'>,
  firstKey: string,
  options: FollowOptions,
): Promise<number> {
  const { stdout, stderr, onInterrupt, again, toCancel, text = successText, quiet = false } = options;
  const { cancel, renewal, json = false, retryMs, hasResponded } = options;
  const isWatch = cancel !== undefined;
  const screen = json
    ? jsonScreen(stdout, stderr)
    : quiet
      ? silentScreen(stderr)
      : createScreen(stderr, isWatch ? stdout : stderr);
  const interrupted = new AbortController();
  let key = firstKey;
  const ending = new AbortController();
  const isEnding = () => ending.signal.aborted;
  let whyNotCancelled: string | undefined;
  const cancelNow = () => {
    cancel?.(key, interrupted.signal).catch((error: unknown) => {
      if (!interrupted.signal.aborted) whyNotCancelled = messageOf(error);
      interrupted.abort();
    });
  };
  const end = () => {
    if (isEnding() || cancel === undefined) interrupted.abort();
    else cancelNow();
    ending.abort();
  };
  const release = onInterrupt(end);
  // a command that only watches ends with its reader, and any other one continues
  const { closed } = json || isWatch ? stdout : stderr;
  if (isWatch) closed.addEventListener('abort', end);
  try {
    const { signal } = interrupted;
    const joined = renewal && joinedWatches((event) => screen.show(event));
    let result: Result;
    let lastRefused: string | undefined;
    for (let isFirst = true; ; isFirst = false) {
      const start = renewal?.now() ?? 0;
      const watch = watchTime();
      const shown = (event: Event) => {
        watch.note(event);
        (joined ?? screen).show(event);
      };
      result = await resultOf(client, key, { ...screen, show: shown, signal, retryMs, hasResponded });
      const code = result.ok ? undefined : result.error.code;
      const passes = isFirst ? undefined : refusals.get(code ?? '');
      const refused = result.ok || passes === undefined ? undefined : result.error.message;
      if (renewal === undefined) break;
      const { afterMs } = renewal;
      const hasRunOut = result.ok
        ? watch.ranMs() >= afterMs - clockMs // or it was cancelled by someone, or its subject is gone
        : // one that corrects a release may have waited for another one all the time
          code === 'timeout' && renewal.now() - start >= afterMs - startMs;
      if (refused === undefined && !hasRunOut) break;
      if (refused !== undefined) {
        if (refused !== lastRefused) screen.say(`${oneLine(refused)}; the watch continues ${passes}`);
        await sleep(renewal.refusedMs, ending.signal).catch(() => undefined); // it is over then
      }
      lastRefused = refused;
      if (isEnding()) break;
      joined?.next();
      const sent = await sentAgain(renewal, signal, { ...screen, signal: ending.signal, retryMs }).catch(
        (error: unknown) => {
          if (!isEnding() || signal.aborted) throw error;
        },
      );
      if (sent === undefined) break;
      key = sent;
      // the interrupt may have come in between
      if (isEnding()) cancelNow();
    }
    joined?.end();
    if (isWatch && closed.aborted) return brokenPipeCode;
    if (result.ok && !json) {
      stdout.write(await text(result));
      for (const line of options.notes?.(result) ?? [])
        stderr.write(`${/^ */.exec(line)?.[0] ?? ''}${oneLine(line)}\n`);
    }
    const failure = result.ok ? options.failure?.(result) : result.error;
    if (failure && !json) {
      const advice = await options.advise?.(failure);
      stderr.write(`${advice === undefined ? '' : `${advice}\n`}${failureText(failure)}`);
    }
    if (failure || !result.ok) return 1;
    return options.exitCode?.(result) ?? 0;
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    if (whyNotCancelled !== undefined) stderr.write(`\nCannot cancel the command: ${whyNotCancelled}`);
    const cancelHint = toCancel === undefined ? '' : `to cancel it:\n  ${toCancel}\n`;
    stderr.write(
      `\nStopped following. The agent continues the operation; to follow it again:\n  ${again(key)}\n${cancelHint}`,
    );
    return 1;
  } finally {
    screen.close();
    release();
    closed.removeEventListener('abort', end);
  }
}

/** Measures for how long a watch has run, by the clock of its agent: events can arrive late. */
function watchTime() {
  let first = NaN;
  let last = NaN;
  return {
    note({ type, payload }: Event): void {
      // another process of the agent has begun it again
      if (type === 'accepted' && payload.resumed === true) first = NaN;
      if (type !== 'status' || payload.step !== 'watch') return;
      last = Date.parse(payload.time);
      if (Number.isNaN(first)) first = last;
    },
    /** Returns the time in milliseconds between the first status and the last one. */
    ranMs: () => last - first,
  };
}

/**
 * Continues a watch, and returns its key. Sends it with one key until it is there, so that a lost
 * response begins no second one.
 *
 * @param options Their signal ends the pauses, and not an attempt
 */
async function sentAgain({ send }: Renewal, signal: AbortSignal, options: ReconnectionOptions): Promise<string> {
  const { responds, pauseAfter } = reconnection(options);
  const key = randomUUID();
  for (;;) {
    try {
      const sent = await send(signal, key);
      responds();
      return sent;
    } catch (error) {
      await pauseAfter(error);
    }
  }
}

/** Follows a command until it ends, and returns its result. Reconnects after a lost connection. */
export async function resultOf(
  client: Pick<ApiClient, 'events'>,
  key: string,
  { show, ...options }: ReconnectionOptions & Partial<Pick<Screen, 'show'>>,
): Promise<Result> {
  const { responds, pauseAfter } = reconnection(options);
  let lastId = 0;
  for (;;) {
    try {
      for await (const event of client.events(key, lastId, options.signal, responds)) {
        lastId = event.id;
        show?.(event);
        if (event.type === 'result') return event.payload;
      }
      throw new ApiError('the control plane has ended the events of the command before its result', true);
    } catch (error) {
      await pauseAfter(error);
    }
  }
}

/** Returns a command of a table. One that it does not have is a bug. */
export function knownCommand(type: string, table: CommandTable = commandTable) {
  const known = table.find(type);
  if (known === undefined) throw new TypeError(`${type} is not in the table of commands`);
  return known;
}

/** Returns the schema of a command's successful result. */
export function answerSchema<Type extends CommandType>(
  type: Type,
  table?: CommandTable,
): z.ZodType<CommandAnswers[Type]> {
  return knownCommand(type, table).definition.answer as unknown as z.ZodType<CommandAnswers[Type]>; // of its own type
}
