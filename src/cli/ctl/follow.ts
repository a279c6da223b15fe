import type * as z from 'zod';
import { messageOf } from '../../errors/index.ts';
import { type CommandAnswers, commandTable, type CommandType } from '../../protocol/commands/index.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import type { Failure, Result } from '../../protocol/messages.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { oneLine } from '../text.ts';
import type { ApiClient } from './api-client.ts';
import { ApiError } from './api-request.ts';
import { reconnection, type ReconnectionOptions } from './reconnection.ts';
import { type Renewal, resultOfRenewed } from './renewed-watch.ts';
import { failureText, type Success, successText } from './result-text.ts';
import { createScreen, jsonScreen, type Screen, silentScreen } from './screen.ts';

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
  let whyNotCancelled: string | undefined;
  const cancelNow = () => {
    cancel?.(key, interrupted.signal).catch((error: unknown) => {
      if (!interrupted.signal.aborted) whyNotCancelled = messageOf(error);
      interrupted.abort();
    });
  };
  const end = () => {
    if (ending.signal.aborted || cancel === undefined) interrupted.abort();
    else cancelNow();
    ending.abort();
  };
  const release = onInterrupt(end);
  // a command that only watches ends with its reader, and any other one continues
  const { closed } = json || isWatch ? stdout : stderr;
  if (isWatch) closed.addEventListener('abort', end);
  try {
    const { signal } = interrupted;
    const reading = { signal, retryMs, hasResponded };
    const onKey = (next: string) => {
      key = next;
      if (ending.signal.aborted) cancelNow(); // the interrupt may have come in between
    };
    const result = renewal
      ? await resultOfRenewed(firstKey, renewal, {
          ...{ screen, signal, retryMs, onKey, ending: ending.signal },
          resultOf: (each, show) => resultOf(client, each, { ...screen, ...reading, show }),
        })
      : await resultOf(client, firstKey, { ...screen, ...reading });
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
