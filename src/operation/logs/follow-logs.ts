import { ChangeNotice } from '../../async/index.ts';
import { messageOf } from '../../errors/index.ts';
import { groupKind } from '../../objects/group-kind.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { HookEvent } from '../../release/hook.ts';
import type { SeenObject } from '../apply/seen-object.ts';
import { timeLimit } from '../time-limit.ts';
import type { Tracking } from '../tracker/tracker.ts';
import type { WorkContext } from '../work.ts';
import { ContainerLog } from './container-log.ts';
import { containerRuns } from './container-runs.ts';
import type { LogReports } from './log-reports.ts';

/** Number of containers whose logs are followed. */
const maxContainers = 20;

/** Time for the last lines after the end of a wait, in milliseconds. */
const drainTime = 5000;

export interface FollowLogsOptions {
  context: Pick<WorkContext, 'cluster' | 'tracker'>;
  /** Jobs and Pods. */
  objects: readonly SeenObject[];
  /** The event, if the objects are those of a hook. */
  event?: HookEvent | undefined;
  reports: LogReports;
  /** Called at most once, if a log cannot be read. */
  onProblem: (message: string) => void;
  signal: AbortSignal;
}

/** The logs of the containers of Jobs and Pods. */
export interface LogFollower {
  /**
   * Stops following when the last lines of containers that have ended are read, at most for 5
   * seconds. `allEnd` says that all containers are about to end. Never rejects.
   */
  end(allEnd: boolean): Promise<void>;
}

/** Follows logs, across the restarts of containers, until `end` is called or the signal aborts. */
export function followLogs({ context, objects, event, reports, onProblem, signal }: FollowLogsOptions): LogFollower {
  const changed = new ChangeNotice();
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const pods = new Map<string, Tracking>();
  const logs = new Map<string, ContainerLog>();
  const reading = new Map<ContainerLog, Promise<void>>();
  let ending: { allEnd: boolean } | undefined;
  let hasProblem = false;

  function onMissing(reason: string): void {
    if (hasProblem || stopped.aborted) return;
    hasProblem = true;
    onProblem(`lines of logs may be missing: ${reason}`);
  }

  function onFailure(error: unknown): void {
    onMissing(messageOf(error));
  }

  function read(log: ContainerLog): void {
    if (reading.has(log)) return;
    const done = log
      .read()
      .catch(onFailure)
      .finally(() => {
        reading.delete(log);
        changed.give();
      });
    reading.set(log, done);
  }

  function newLog(
    { ref: resource }: SeenObject,
    { metadata: { name, namespace = '' } }: KubeObject,
    container: string,
  ) {
    const source = { resource, pod: name, container, ...(event && { event }) };
    return new ContainerLog({
      cluster: context.cluster,
      container: { namespace, name, container },
      async onLine(line) {
        reports.add(source, line);
        if (reports.isFull) changed.give();
        await reports.room();
      },
      onMissing,
      signal: stopped,
    });
  }

  /** Starts to read the logs of containers that have started. */
  function look(): void {
    const found = new Set<string>();
    for (const object of objects) {
      for (const pod of podsOf(object)) {
        for (const run of containerRuns(pod)) {
          const key = `${pod.metadata.uid ?? pod.metadata.name}/${run.container}`;
          if (!logs.has(key) && logs.size >= maxContainers) continue;
          found.add(key);
          const log = logs.get(key) ?? newLog(object, pod, run.container);
          logs.set(key, log);
          if (log.see(run)) read(log);
        }
      }
    }
    for (const [key, log] of logs) if (!found.has(key)) log.see(undefined);
  }

  function podsOf({ ref, uid }: SeenObject): Iterable<KubeObject> {
    const { objects: tracked } = tracking(ref.namespace ?? '');
    if (tracked.refusal) onFailure(tracked.refusal);
    if (ref.kind === 'Job') return tracked.relatedTo(uid);
    const pod = tracked.find(ref);
    return pod === undefined || pod.metadata.uid !== uid ? [] : [pod];
  }

  function tracking(namespace: string): Tracking {
    const query = { apiVersion: 'v1', kind: 'Pod', namespace };
    const known = pods.get(namespace) ?? context.tracker.track(query, changed.give);
    pods.set(namespace, known);
    return known;
  }

  function isDrained({ allEnd }: { allEnd: boolean }): boolean {
    const isRefused = [...pods.values()].some(({ objects: { refusal } }) => refusal !== undefined);
    const haveEnded = logs.size > 0 && [...logs.values()].every(({ hasEnded }) => hasEnded);
    if (allEnd && !haveEnded && !isRefused) return false;
    return [...reading.keys()].every(({ hasEnded }) => !hasEnded);
  }

  async function follow(): Promise<void> {
    signal.addEventListener('abort', changed.give);
    try {
      while (!stopped.aborted && !reports.isFull) {
        look();
        if (ending && isDrained(ending)) break;
        await changed.next();
      }
    } catch (error) {
      onFailure(error);
    } finally {
      signal.removeEventListener('abort', changed.give);
      stop.abort();
      await Promise.all(reading.values());
      await reports.close();
      await Promise.all([...pods.values()].map((one) => one.release()));
    }
  }

  const followed = follow();
  return {
    async end(allEnd) {
      ending = { allEnd };
      const limit = timeLimit(drainTime, [signal]);
      limit.signal.addEventListener('abort', () => {
        stop.abort();
        changed.give();
      });
      changed.give();
      await followed;
      limit.close();
    },
  };
}

/** Returns the Jobs and Pods that were applied. */
export function withLog(objects: readonly SeenObject[]): SeenObject[] {
  return objects.filter(({ ref, uid }) => uid !== undefined && ['Pod', 'batch/Job'].includes(groupKind(ref)));
}
