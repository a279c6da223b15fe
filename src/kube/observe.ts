import type { ResourceKind } from '../objects/object.ts';
import { isKubeError, KubeError } from './kube-error.ts';
import { listObjects } from './list.ts';
import { pause } from './pause.ts';
import type { Transport } from './transport.ts';
import type { ObjectQuery, ObservedChange } from './types.ts';
import { defaultWatchTimes, watchEvents, type WatchTimes } from './watch.ts';

/** How an observation behaves when the connection breaks; all in milliseconds. */
export interface ObserveTimes extends WatchTimes {
  /** The pause after the first failure; it doubles with each further one. */
  firstPause: number;
  longestPause: number;
}

const defaultObserveTimes: ObserveTimes = { ...defaultWatchTimes, firstPause: 250, longestPause: 10_000 };

/** Failures in a row that a server's refusal of the credentials may have: a token that is being rotated is refused for a moment. */
const unauthorizedAttempts = 3;

/**
 * Follows a query until `signal` aborts, then ends without an error. A watch that ends or breaks goes on where it was; one that the server cannot continue
 * is begun anew with another snapshot. Fails only where the server refuses: forbidden, unauthorized, a bad selector, a kind that is gone.
 */
export async function* observeObjects(
  transport: Transport,
  findKind: (signal: AbortSignal) => Promise<ResourceKind>,
  query: ObjectQuery,
  signal: AbortSignal,
  times: ObserveTimes = defaultObserveTimes,
): AsyncGenerator<ObservedChange, void, undefined> {
  const position: Position = { resourceVersion: undefined, failures: 0 };
  while (!signal.aborted) {
    try {
      const kind = await findKind(signal);
      const came = yield* follow(transport, kind, query, position, signal, times);
      if (!came) await pauseAfterFailure(++position.failures, times, signal); // a server that only ever ends watches is not hammered
    } catch (error) {
      if (isAborted(signal)) return;
      if (isKubeError(error, 'gone')) position.resourceVersion = undefined;
      position.failures++;
      if (!canRetry(error, position.failures)) throw error;
      await pauseAfterFailure(position.failures, times, signal);
    }
  }
}

interface Position {
  resourceVersion: string | undefined;
  failures: number;
}

/** Lists where there is no version to go on from, then reads one watch to its end; answers whether anything came. */
async function* follow(
  transport: Transport,
  kind: ResourceKind,
  query: ObjectQuery,
  position: Position,
  signal: AbortSignal,
  times: ObserveTimes,
): AsyncGenerator<ObservedChange, boolean, undefined> {
  let came = false;
  if (position.resourceVersion === undefined) {
    const { objects, resourceVersion } = await listObjects(transport, kind, query, signal);
    yield { type: 'snapshot', objects };
    position.resourceVersion = resourceVersion;
    position.failures = 0;
  }
  for await (const { type, object } of watchEvents(transport, kind, query, position.resourceVersion, signal, times)) {
    if (type === 'DELETED') yield { type: 'deleted', object };
    else if (type !== 'BOOKMARK') yield { type: 'changed', object };
    position.resourceVersion = object.metadata.resourceVersion ?? position.resourceVersion;
    position.failures = 0;
    came = true;
  }
  return came;
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function canRetry(error: unknown, failures: number): boolean {
  if (!(error instanceof KubeError)) return false;
  if (error.code === 'unauthorized') return failures < unauthorizedAttempts;
  return ['gone', 'unreachable', 'server_error', 'too_many_requests'].includes(error.code);
}

async function pauseAfterFailure(failures: number, times: ObserveTimes, signal: AbortSignal): Promise<void> {
  try {
    await pause(Math.min(times.firstPause * 2 ** (failures - 1), times.longestPause), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
