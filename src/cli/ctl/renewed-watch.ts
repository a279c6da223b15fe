import { randomUUID } from 'node:crypto';
import { sleep } from '../../async/index.ts';
import type { Result } from '../../protocol/messages.ts';
import { oneLine } from '../text.ts';
import type { Event } from './api-client.ts';
import { joinedWatches } from './joined-watches.ts';
import { reconnection } from './reconnection.ts';
import type { Screen } from './screen.ts';

/** Most time in milliseconds between the start of a watch and the beginning of following it. */
const startMs = 60_000;

/** Most time in milliseconds by which the clock of an agent may be set during a watch. */
const clockMs = 5000;

/** Why the continuation of a watch may be refused for a while, and when it is not any more. */
const refusals: ReadonlyMap<string, string> = new Map([
  ['denied_by_policy', 'when the policy allows it'],
  ['busy', 'when there is room for it'],
]);

/**
 * How a watch is continued that ends by itself, so that an agent does not continue one for long
 * whose sender is gone.
 */
export interface Renewal {
  /** Time after which it ends by itself, in milliseconds. */
  afterMs: number;
  /** Pause before it is continued if the agent has refused that for a while, in milliseconds. */
  refusedMs: number;
  /** Returns the time in milliseconds. */
  now: () => number;
  /** Sends the command again with a key, which may have been sent before. Returns the key. */
  send: (signal: AbortSignal, key: string) => Promise<string>;
}

export interface RenewedWatchOptions {
  /** Follows a watch until it ends, and returns its result. */
  resultOf: (key: string, show: (event: Event) => void) => Promise<Result>;
  /** Called with the key of each watch that follows. */
  onKey: (key: string) => void;
  screen: Pick<Screen, 'show' | 'say'>;
  /** Aborts when no other watch may follow. */
  ending: AbortSignal;
  /** Ends an attempt to send the command again. */
  signal: AbortSignal;
  /** See `ReconnectionOptions`. */
  retryMs?: number | undefined;
}

/** Follows a watch, and those that continue it, as one. Returns the result of the last one. */
export async function resultOfRenewed(
  firstKey: string,
  renewal: Renewal,
  options: RenewedWatchOptions,
): Promise<Result> {
  const { resultOf, onKey, screen, ending } = options;
  const joined = joinedWatches((event) => screen.show(event));
  let key: string | undefined = firstKey;
  let result: Result;
  let lastRefused: string | undefined;
  do {
    const start = renewal.now();
    const watch = watchTime();
    result = await resultOf(key, (event) => {
      watch.note(event);
      joined.show(event);
    });
    const refused = key === firstKey ? undefined : refusalIn(result);
    if (refused === undefined && !hasRunOut(result, renewal, { ranMs: watch.ranMs(), start })) break;
    if (refused !== undefined) {
      if (refused !== lastRefused) screen.say(refused);
      await sleep(renewal.refusedMs, ending).catch(() => undefined); // it is over then
    }
    lastRefused = refused;
    if (ending.aborted) break;
    joined.next();
    key = await sentAgain(renewal, options);
    if (key !== undefined) onKey(key);
  } while (key !== undefined);
  joined.end();
  return result;
}

/** Returns why a watch is not continued for a while. Undefined: that is not so. */
function refusalIn(result: Result): string | undefined {
  if (result.ok) return undefined;
  const passes = refusals.get(result.error.code);
  return passes && `${oneLine(result.error.message)}; the watch continues ${passes}`;
}

/** Whether a watch has ended by itself, and was not cancelled, and its subject is not gone. */
function hasRunOut(
  result: Result,
  { afterMs, now }: Renewal,
  { ranMs, start }: { ranMs: number; start: number },
): boolean {
  if (result.ok) return ranMs >= afterMs - clockMs;
  // one that corrects a release may have waited for another one all the time
  return result.error.code === 'timeout' && now() - start >= afterMs - startMs;
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
 * response begins no second one. Undefined: it is not to be continued any more.
 */
async function sentAgain(
  { send }: Renewal,
  { screen, ending, signal, retryMs }: RenewedWatchOptions,
): Promise<string | undefined> {
  const { responds, pauseAfter } = reconnection({ signal: ending, say: screen.say, retryMs });
  const key = randomUUID();
  for (;;) {
    try {
      const sent = await send(signal, key);
      responds();
      return sent;
    } catch (error) {
      try {
        await pauseAfter(error);
      } catch (reason) {
        if (ending.aborted && !signal.aborted) return undefined;
        throw reason;
      }
    }
  }
}
