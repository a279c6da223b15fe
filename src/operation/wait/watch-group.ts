import type { Host } from '../../go/host.ts';
import type { Cluster, ObjectQuery } from '../../objects/cluster.ts';
import { processTimer, type StartTimer } from '../steps/time-limit.ts';
import type { TrackedObjects } from '../tracker/object-cache.ts';
import type { Tracker, Tracking } from '../tracker/tracker.ts';
import { changeNotice } from './change-notice.ts';

export interface WaitContext {
  tracker: Tracker;
  /** The API server, by whose clock the times of objects are. Default: the own clock. */
  cluster?: Pick<Cluster, 'serverTime'>;
  host: Host;
  /** Timer of the times at which a status may change. Default: the timers of the process. */
  startWakeTimer?: StartTimer;
  /** Runs the wait, during which other operations may work. Default: at once. */
  whileWaiting?: <Result>(wait: () => Promise<Result>) => Promise<Result>;
}

/** Watches that are released together. A change in one of them wakes the wait that uses them. */
export interface WatchGroup {
  watch(query: ObjectQuery): TrackedObjects;
  /**
   * Resolves at the next change in a watch, at once if there was one since the last call. Also
   * resolves when the signal aborts, or after a number of milliseconds.
   */
  nextChange(delay?: number): Promise<void>;
}

/** Calls `run` with a group of watches, which are released when `run` ends. */
export async function withWatches<T>(
  { tracker, startWakeTimer = processTimer }: WaitContext,
  signal: AbortSignal,
  run: (watches: WatchGroup) => Promise<T>,
): Promise<T> {
  const trackings: Tracking[] = [];
  const { notify, next } = changeNotice();
  signal.addEventListener('abort', notify);
  try {
    return await run({
      watch(query) {
        const tracking = tracker.track(query, notify);
        trackings.push(tracking);
        return tracking.objects;
      },
      async nextChange(delay) {
        const stopTimer = delay === undefined ? undefined : startWakeTimer(Math.max(delay, 0), notify);
        await next();
        stopTimer?.();
      },
    });
  } finally {
    signal.removeEventListener('abort', notify);
    await Promise.all(trackings.map((tracking) => tracking.release()));
  }
}
