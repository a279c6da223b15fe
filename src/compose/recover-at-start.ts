import type { Logger } from '../agent/logger.ts';
import { codeOf } from '../errors/index.ts';
import type { Cluster } from '../objects/cluster.ts';
import { recoverUnfinished } from '../operation/recover-unfinished.ts';
import type { StorageDriver } from '../release/storage/drivers.ts';
import { unfinishedRevisions } from '../release/storage/kube-storage.ts';
import type { ReleaseStorage } from '../release/storage/storage.ts';

/**
 * Treatment of releases that an ended process of this agent has left `pending-*` or `uninstalling`:
 * their revision becomes `failed`, or they are logged.
 */
export type RecoverMode = 'auto' | 'report';

export interface RecoverAtStartOptions {
  agentId: string;
  cluster: Cluster;
  storage: ReleaseStorage;
  storageDriver: StorageDriver;
  mode: RecoverMode;
  log: Logger;
}

/** Time limit of all requests, in milliseconds. */
const timeLimit = 30_000;

/**
 * Finds the unfinished releases of this agent whose commands the journal does not have. Never
 * rejects: an agent whose rights do not include all namespaces starts nevertheless.
 */
export async function recoverAtStart(
  { agentId, cluster, storage, storageDriver, mode, log }: RecoverAtStartOptions,
  continued: ReadonlySet<string>,
  stopping: AbortSignal,
): Promise<void> {
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeLimit)]);
  try {
    for (const key of await unfinishedRevisions(cluster, storageDriver, agentId, signal)) {
      const release = `${key.namespace}/${key.name}`;
      if (continued.has(release)) continue;
      if (mode === 'report') {
        log.warn({ release, revision: key.version }, 'an ended process has left the release unfinished');
        continue;
      }
      const status = await recoverUnfinished(storage, key, signal);
      if (status === undefined) continue;
      log.warn(
        { release, revision: key.version, status },
        'an ended process left the release; its revision is failed now',
      );
    }
  } catch (error) {
    if (stopping.aborted) return;
    log.warn(
      { code: codeOf(error) ?? 'internal' },
      'cannot look for releases that an ended process has left unfinished',
    );
  }
}
