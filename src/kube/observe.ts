import type { ObjectQuery, ObservedChange } from '../objects/cluster.ts';
import type { ResourceKind } from '../objects/object.ts';
import { isKubeError, KubeError } from './kube-error.ts';
import { listObjects } from './list.ts';
import { pause } from './pause.ts';
import type { Transport } from './transport.ts';
import { defaultWatchTimes, watchEvents, type WatchTimes } from './watch.ts';

/** Times of an observation, in milliseconds. */
export interface ObserveTimes extends WatchTimes {
  /** Pause after the first failure. It doubles with each further failure. */
  firstPause: number;
  longestPause: number;
}

const defaultObserveTimes: ObserveTimes = { ...defaultWatchTimes, firstPause: 250, longestPause: 10_000 };

/**
 * Follows a query until `signal` aborts, then ends without an error. After a watch ends or breaks,
 * the next one continues from the last version seen, or from a new snapshot if that version is too
 * old. Fails only if the server refuses: forbidden, unauthorized, a bad selector, an unknown kind.
 */
export async function* observeObjects(
  transport: Transport,
  findKind: (signal: AbortSignal) => Promise<ResourceKind>,
  query: ObjectQuery,
  signal: AbortSignal,
  times: ObserveTimes = defaultObserveTimes,
): AsyncGenerator<ObservedChange, void, undefined> {
  const progress: WatchProgress = { resourceVersion: undefined, failures: 0 };
  while (!signal.aborted) {
    try {
      const kind = await findKind(signal);
      const hadEvents = yield* follow(transport, kind, query, progress, signal, times);
      if (!hadEvents) await pauseAfterFailure(++progress.failures, times, signal); // the server may end every watch at once
    } catch (error) {
      if (isAborted(signal)) return;
      if (isKubeError(error, 'gone')) progress.resourceVersion = undefined;
      progress.failures++;
      if (!canRetry(error)) throw error;
      await pauseAfterFailure(progress.failures, times, signal);
    }
  }
}

interface WatchProgress {
  resourceVersion: string | undefined;
  failures: number;
}

/**
 * Lists if there is no version to continue from, then reads one watch to its end. Returns whether
 * the watch had events.
 */
async function* follow(
  transport: Transport,
  kind: ResourceKind,
  query: ObjectQuery,
  progress: WatchProgress,
  signal: AbortSignal,
  times: ObserveTimes,
): AsyncGenerator<ObservedChange, boolean, undefined> {
  let hadEvents = false;
  if (progress.resourceVersion === undefined) {
    const { objects, resourceVersion } = await listObjects(transport, kind, query, signal);
    yield { type: 'snapshot', objects, resourceVersion };
    progress.resourceVersion = resourceVersion;
    progress.failures = 0;
  }
  for await (const { type, object } of watchEvents(transport, kind, query, progress.resourceVersion, signal, times)) {
    if (type === 'DELETED') yield { type: 'deleted', object };
    else if (type !== 'BOOKMARK') yield { type: 'changed', object };
    progress.resourceVersion = object.metadata.resourceVersion ?? progress.resourceVersion;
    progress.failures = 0;
    hadEvents = true;
  }
  return hadEvents;
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function canRetry(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  return ['gone', 'unreachable', 'server_error', 'too_many_requests'].includes(error.code);
}

async function pauseAfterFailure(failures: number, times: ObserveTimes, signal: AbortSignal): Promise<void> {
  try {
    await pause(Math.min(times.firstPause * 2 ** (failures - 1), times.longestPause), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
