import { asError } from '../../errors/index.ts';
import type { Cluster, ObjectQuery } from '../../objects/cluster.ts';
import { processTimer, type StartTimer } from '../time-limit.ts';
import { ObjectCache, type Touched, type TrackedObjects } from './object-cache.ts';
import { TrackedView } from './tracked-view.ts';

/**
 * Keeps the state of objects by watches. Everyone who asks for the same objects of a cluster
 * at the same time shares one watch.
 */
export interface Tracker {
  /**
   * Follows the objects of a query until the tracking is released. Calls `onChange` after each
   * list, after each change of what was looked up in them, and after a refusal, which ends the
   * watch.
   */
  track(query: ObjectQuery, onChange: () => void): Tracking;
  /** Ends all watches. */
  close(): Promise<void>;
}

/** The share of one user in a watch. */
export interface Tracking {
  readonly objects: TrackedObjects;
  /** Resolves when the watch has ended, or at once if it continues. */
  release(): Promise<void>;
}

export interface TrackerOptions {
  /**
   * Time for which a watch continues after its last user, for the next one; in milliseconds.
   * Default: 0.
   */
  linger?: number;
  /** Timer of the end of a watch. Default: the timers of the process. */
  startTimer?: StartTimer;
}

interface User {
  readonly view: TrackedView;
  readonly onChange: () => void;
}

interface SharedWatch {
  readonly cache: ObjectCache;
  readonly users: Set<User>;
  stopLinger: () => void;
  /** Ends the watch. */
  end(): Promise<void>;
}

/** Returns a tracker without watches. `close` must be called if watches linger. */
export function createTracker(
  cluster: Pick<Cluster, 'observe'>,
  { linger = 0, startTimer = processTimer }: TrackerOptions = {},
): Tracker {
  const watches = new Map<string, SharedWatch>();

  function find(query: ObjectQuery): SharedWatch {
    const all = watches.get(keyOf(withoutSelectors(query)));
    if (all !== undefined && all.cache.refusal === undefined) return all;
    const key = keyOf(query);
    const found = watches.get(key) ?? startWatch(cluster, query, () => watches.delete(key));
    watches.set(key, found);
    return found;
  }

  async function release(watch: SharedWatch): Promise<void> {
    if (watch.users.size > 0) return;
    // after a refusal, the next user tries again
    if (linger === 0 || watch.cache.refusal !== undefined) await watch.end();
    else watch.stopLinger = startTimer(linger, () => void watch.end());
  }

  return {
    track(query, onChange) {
      const watch = find(query);
      const user = { view: new TrackedView(watch.cache), onChange };
      watch.stopLinger();
      watch.users.add(user);
      return {
        objects: user.view,
        async release() {
          if (watch.users.delete(user)) await release(watch);
        },
      };
    },
    async close() {
      await Promise.all([...watches.values()].map((watch) => watch.end()));
    },
  };
}

function startWatch(cluster: Pick<Cluster, 'observe'>, query: ObjectQuery, onEnd: () => void): SharedWatch {
  const ending = new AbortController();
  const cache = new ObjectCache();
  const users = new Set<User>();
  const notify = (touched: Touched) => {
    for (const { view, onChange } of [...users]) if (view.note(touched)) onChange();
  };
  const ended = follow();
  const watch: SharedWatch = {
    cache,
    users,
    stopLinger: () => undefined,
    async end() {
      watch.stopLinger();
      ending.abort();
      onEnd();
      await ended;
    },
  };
  return watch;

  async function follow(): Promise<void> {
    try {
      for await (const change of cluster.observe(query, ending.signal)) {
        const touched = cache.add(change);
        if (touched !== undefined) notify(touched);
      }
    } catch (error) {
      cache.refuse(asError(error));
      notify('all');
    }
  }
}

function withoutSelectors({ apiVersion, kind, namespace }: ObjectQuery): ObjectQuery {
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }) };
}

function keyOf({ apiVersion, kind, namespace, labelSelector, fieldSelector }: ObjectQuery): string {
  return JSON.stringify([apiVersion, kind, namespace, labelSelector, fieldSelector]);
}
