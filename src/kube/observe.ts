import { sleep } from '../async/index.ts';
import type { ObjectQuery, ObservedChange } from '../objects/cluster.ts';
import type { KubeObject, ResourceKind } from '../objects/object.ts';
import { isKubeError, isUnserved } from './kube-error.ts';
import { listObjects } from './list.ts';
import type { Transport } from './transport.ts';
import { defaultWatchTimes, endsInitialEvents, type WatchEvent, watchEvents, type WatchTimes } from './watch.ts';

/** Times of an observation, in milliseconds. */
export interface ObserveTimes extends WatchTimes {
  /**
   * Pause after the first failure, and after a watch that has ended too soon. It doubles with each
   * further one.
   */
  firstPause: number;
  longestPause: number;
  /** Time after which a watch has not ended too soon. */
  steady: number;
}

const defaultObserveTimes: ObserveTimes = { ...defaultWatchTimes, firstPause: 250, longestPause: 10_000, steady: 1000 };

/** A query to follow, with what is known about its server. */
export interface Observation {
  transport: Transport;
  /** Returns the kind of the query, on request as it is served now. */
  findKind: (signal: AbortSignal, again: boolean) => Promise<ResourceKind>;
  query: ObjectQuery;
  /** API versions whose server cannot start a watch with the present objects. */
  listedFirst: Set<string>;
  times?: ObserveTimes | undefined;
}

/**
 * Follows a query until `signal` aborts, then ends without an error. After a watch ends or breaks,
 * the next one continues from the last version seen, or from a new snapshot if that version is too
 * old. Fails only if the server refuses: forbidden, unauthorized, a bad selector, an unknown kind.
 */
export async function* observeObjects(
  observation: Observation,
  signal: AbortSignal,
): AsyncGenerator<ObservedChange, void, undefined> {
  const { times = defaultObserveTimes } = observation;
  const progress: WatchProgress = { resourceVersion: undefined, failures: 0, listsFirst: false, isUnserved: false };
  while (!signal.aborted) {
    try {
      const isSteady = yield* follow(observation, progress, times, signal);
      if (!isSteady) await pauseAfterFailure(++progress.failures, times, signal); // the server may end every watch at once
    } catch (error) {
      if (isAborted(signal)) return;
      if (isKubeError(error, 'gone')) progress.resourceVersion = undefined;
      progress.isUnserved = isUnserved(error);
      progress.failures++;
      if (!canRetry(error)) throw error;
      await pauseAfterFailure(progress.failures, times, signal);
    }
  }
}

interface WatchProgress {
  /** Version to continue from. Undefined before a snapshot. */
  resourceVersion: string | undefined;
  failures: number;
  /** Whether the snapshot is read by a list, because a watch has not brought it. */
  listsFirst: boolean;
  /** Whether the server did not have the path of the last request. */
  isUnserved: boolean;
}

/**
 * Reads one watch to its end. Without a version to continue from, the watch starts with a snapshot,
 * or follows a list. Returns whether the next one can follow at once.
 */
async function* follow(
  { transport, findKind, query, listedFirst }: Observation,
  progress: WatchProgress,
  times: ObserveTimes,
  signal: AbortSignal,
): AsyncGenerator<ObservedChange, boolean, undefined> {
  const kind = await findKind(signal, progress.isUnserved);
  progress.isUnserved = false;
  if (progress.resourceVersion === undefined && (progress.listsFirst || listedFirst.has(kind.apiVersion))) {
    const { objects, resourceVersion } = await listObjects(transport, kind, query, signal);
    yield { type: 'snapshot', objects, resourceVersion };
    progress.resourceVersion = resourceVersion;
  }
  try {
    const events = watchEvents(transport, kind, query, progress.resourceVersion, signal, times);
    return yield* changesOf(events, progress, times.steady);
  } catch (error) {
    if (progress.resourceVersion !== undefined || !isKubeError(error, 'invalid', 'bad_request')) throw error;
    listedFirst.add(kind.apiVersion);
    return true;
  } finally {
    progress.listsFirst = progress.resourceVersion === undefined;
  }
}

/**
 * Turns the events of a watch into changes. Without a version to continue from, a snapshot of the
 * objects that were added before the end of the initial events comes first. Returns whether the
 * watch has not ended too soon.
 */
async function* changesOf(
  events: AsyncIterable<WatchEvent>,
  progress: WatchProgress,
  steady: number,
): AsyncGenerator<ObservedChange, boolean, undefined> {
  const start = performance.now();
  const isSteady = () => performance.now() - start >= steady;
  const present: KubeObject[] = [];
  const early: WatchEvent[] = [];
  for await (const event of events) {
    const { resourceVersion = progress.resourceVersion ?? '' } = event.object.metadata;
    if (progress.resourceVersion !== undefined) {
      yield* changeOf(event);
      progress.resourceVersion = resourceVersion;
    } else if (endsInitialEvents(event)) {
      yield { type: 'snapshot', objects: present.splice(0), resourceVersion };
      for (const change of early.splice(0)) yield* changeOf(change);
      progress.resourceVersion = resourceVersion;
    } else if (event.type === 'ADDED') present.push(event.object);
    else early.push(event);
    if (isSteady()) progress.failures = 0;
  }
  return isSteady();
}

function* changeOf({ type, object }: WatchEvent): Generator<ObservedChange> {
  if (type === 'DELETED') yield { type: 'deleted', object };
  else if (type !== 'BOOKMARK') yield { type: 'changed', object };
}

function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function canRetry(error: unknown): boolean {
  return isKubeError(error, 'gone', 'unreachable', 'server_error', 'too_many_requests');
}

async function pauseAfterFailure(failures: number, times: ObserveTimes, signal: AbortSignal): Promise<void> {
  try {
    await sleep(Math.min(times.firstPause * 2 ** (failures - 1), times.longestPause), signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
