import { ChangeNotice } from '../../async/index.ts';
import type { Host } from '../../go/host.ts';
import type { Cluster, ObjectQuery } from '../../objects/cluster.ts';
import { fieldSelectorText } from '../../objects/field-selector.ts';
import { groupKind, identityOf } from '../../objects/group-kind.ts';
import type { KubeObject, ObjectRef } from '../../objects/object.ts';
import { managedByLabel } from '../apply/ownership.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import { processTimer, type StartTimer } from '../time-limit.ts';
import type { TrackedObjects } from '../tracker/object-cache.ts';
import { isOlder } from '../tracker/resource-version.ts';
import type { Tracker, Tracking } from '../tracker/tracker.ts';

/** Looks up the objects of a wait. */
export interface ObjectWatches {
  /**
   * Returns the object, undefined if it does not exist, and `unknown` if the watch has not reached
   * the version yet in which the operation has seen it. Throws if the API server refuses to watch
   * it.
   */
  find(object: SeenObject, now: number): KubeObject | undefined | 'unknown';
  /** Returns the milliseconds after which an unknown object is to be looked up again. */
  nextLook(now: number): number | undefined;
}

/**
 * Kinds that are watched without a selector, because controllers and hooks create their objects
 * without Helm's label.
 */
const sharedByAll: ReadonlySet<string> = new Set(['Pod', 'Event', 'apps/ReplicaSet', 'batch/Job']);

/** Time that a watch has to catch up before an object gets a watch of its own, in milliseconds. */
const patience = 1000;

export interface WatchOptions {
  /**
   * Whether the objects have Helm's label, as all but hooks do, except for those that were seen
   * without it. If so, one watch follows all objects of a kind.
   */
  labelled: boolean;
  /**
   * Whether the objects were deleted: one that a watch by the label does not show is gone. Default:
   * it may have lost the label.
   */
  areDeleted?: boolean;
}

/**
 * Watches objects with one watch for each kind and namespace. An object gets a watch of its own if
 * nothing says that it has Helm's label, if the API server refuses to watch all, or if the other
 * watch does not show it.
 */
export function watchObjects(watches: WatchGroup, { labelled, areDeleted = false }: WatchOptions): ObjectWatches {
  const started = new Map<string, TrackedObjects>();
  const isAlone = new Set<string>();
  const unknownSince = new Map<string, number>();

  function watch(key: string, query: ObjectQuery): TrackedObjects {
    const objects = started.get(key) ?? watches.watch(query);
    started.set(key, objects);
    return objects;
  }

  function sharedQueryOf({ ref, isUnlabelled = false }: SeenObject): ObjectQuery | undefined {
    return isAlone.has(identityOf(ref)) ? undefined : sharedQuery(ref, labelled && !isUnlabelled);
  }

  function watchOf(seen: SeenObject): TrackedObjects {
    const { ref } = seen;
    const shared = sharedQueryOf(seen);
    const identity = identityOf(ref);
    if (shared === undefined) return watch(`object ${identity}`, objectQuery(ref));
    const objects = watch(JSON.stringify(shared), shared);
    if (objects.refusal === undefined) return objects;
    isAlone.add(identity);
    return watchOf(seen);
  }

  function mayBeUnlabelled(seen: SeenObject): boolean {
    return !areDeleted && sharedQueryOf(seen)?.labelSelector !== undefined;
  }

  return {
    find(seen, now) {
      const identity = identityOf(seen.ref);
      const objects = watchOf(seen);
      if (objects.refusal !== undefined) throw objects.refusal;
      if (!objects.isListed) return 'unknown';
      const found = objects.find(seen.ref);
      const version = found === undefined ? objects.resourceVersion : found.metadata.resourceVersion;
      if (!isOlder(version, seen.resourceVersion)) {
        unknownSince.delete(identity);
        if (found !== undefined || !mayBeUnlabelled(seen)) return found;
      } else {
        const since = unknownSince.get(identity) ?? now;
        unknownSince.set(identity, since);
        if (now - since < patience || isAlone.has(identity)) return 'unknown';
      }
      isAlone.add(identity);
      return this.find(seen, now);
    },
    nextLook(now) {
      const waiting = [...unknownSince].filter(([identity]) => !isAlone.has(identity));
      return waiting.length === 0 ? undefined : Math.min(...waiting.map(([, since]) => since + patience - now));
    },
  };
}

function sharedQuery(ref: ObjectRef, labelled: boolean): ObjectQuery | undefined {
  const { apiVersion, kind, namespace } = ref;
  const all = { apiVersion, kind, ...(namespace !== undefined && { namespace }) };
  if (namespace !== undefined && sharedByAll.has(groupKind(ref))) return all;
  return labelled ? { ...all, labelSelector: `${managedByLabel}=Helm` } : undefined;
}

function objectQuery({ apiVersion, kind, namespace, name }: ObjectRef): ObjectQuery {
  const fieldSelector = fieldSelectorText('metadata.name', name);
  return { apiVersion, kind, ...(namespace !== undefined && { namespace }), fieldSelector };
}

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
  const changed = new ChangeNotice();
  signal.addEventListener('abort', changed.give);
  try {
    return await run({
      watch(query) {
        const tracking = tracker.track(query, changed.give);
        trackings.push(tracking);
        return tracking.objects;
      },
      async nextChange(delay) {
        const stopTimer = delay === undefined ? undefined : startWakeTimer(Math.max(delay, 0), changed.give);
        await changed.next();
        stopTimer?.();
      },
    });
  } finally {
    signal.removeEventListener('abort', changed.give);
    await Promise.all(trackings.map((tracking) => tracking.release()));
  }
}
