import { fieldAt, integerAt, objectsAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';

/** The newest run of a container that has a log. */
export interface ContainerRun {
  container: string;
  /** Number of restarts before it. */
  run: number;
  hasEnded: boolean;
  /** Whether the log of the run before it can be read. */
  hasPrevious: boolean;
}

const statusLists = ['initContainerStatuses', 'containerStatuses'];

/**
 * Returns the newest runs of the containers of a pod, without those that have not started.
 *
 * @param lists the fields of its status. Default: those of containers and init containers.
 */
export function containerRuns(pod: KubeObject, lists: readonly string[] = statusLists): ContainerRun[] {
  const statuses = lists.flatMap((list) => objectsAt(pod, 'status', list));
  return statuses.flatMap((status) => {
    const isRunning = fieldAt(status, 'state', 'running') !== undefined;
    const hasEnded = fieldAt(status, 'state', 'terminated') !== undefined;
    const ranBefore = fieldAt(status, 'lastState', 'terminated') !== undefined;
    // while a container waits for its restart, its last run is the newest one
    if (!isRunning && !hasEnded && !ranBefore) return [];
    return {
      container: stringAt(status, 'name') ?? '',
      run: integerAt(status, 'restartCount') ?? 0,
      hasEnded: !isRunning,
      hasPrevious: ranBefore && (isRunning || hasEnded),
    };
  });
}

/** Returns which log of a container is that of a run. Undefined: none is any more. */
export function logOfRun(run: number, newest: ContainerRun | undefined): 'current' | 'previous' | undefined {
  if (newest === undefined || newest.run === run) return 'current';
  return newest.run === run + 1 && newest.hasPrevious ? 'previous' : undefined;
}
