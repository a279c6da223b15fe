import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
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

/** The logs that the kubelet keeps: of the newest run of a container, and of the one before. */
export type KeptLog = 'current' | 'previous';

/** Returns which log of a container is that of a run. Undefined: none is any more. */
export function logOfRun(run: number, newest: ContainerRun | undefined): KeptLog | undefined {
  if (newest === undefined || newest.run === run) return 'current';
  return newest.run === run + 1 && newest.hasPrevious ? 'previous' : undefined;
}

/** Whether the pod is gone, or its container has not started again. */
export function hasNoLog(error: unknown): boolean {
  return hasClusterErrorCode(error, 'not_found', 'bad_request');
}

/**
 * Whether an error says that a log was deleted. The kubelet fails to open that of the run before
 * when it has deleted it, and then soon deletes that of the newest run, too.
 */
export function isLogDeleted(error: unknown, log: KeptLog | undefined): boolean {
  return hasNoLog(error) || (log === 'previous' && hasClusterErrorCode(error, 'server_error'));
}
