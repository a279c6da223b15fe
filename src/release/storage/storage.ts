import type { Release } from '../release.ts';
import type { ReleaseStatus } from '../status.ts';

/** A revision with what storage knows besides it. */
export interface StoredRevision {
  release: Release;
  /** All labels of the stored object, Helm's own among them; see `customLabels`. */
  labels: Record<string, string>;
  /** Changes with every write: an update of an older one is refused. */
  resourceVersion: string;
}

export interface RevisionKey {
  namespace: string;
  name: string;
  version: number;
}

export interface RevisionQuery {
  /** Absent: all namespaces. */
  namespace?: string;
  name?: string;
  status?: ReleaseStatus;
  /** Only the highest revision of each release. Applied before `status`. */
  latestOnly?: boolean;
}

/** Where releases are kept. Errors: {@link ReleaseError}, and what the cluster answers. */
export interface ReleaseStorage {
  get(key: RevisionKey, signal?: AbortSignal): Promise<StoredRevision | undefined>;
  /** In no order. */
  query(query: RevisionQuery, signal?: AbortSignal): Promise<StoredRevision[]>;
  /** Fails with `release_exists` where the revision is there already: the lock between two operations on a release. */
  create(release: Release, customLabels: Record<string, string>, signal?: AbortSignal): Promise<StoredRevision>;
  /** Writes `revision.release`. Fails with `release_conflict` where somebody else wrote since it was read. */
  update(revision: StoredRevision, signal?: AbortSignal): Promise<StoredRevision>;
  /** Whether there was something to delete. */
  delete(key: RevisionKey, signal?: AbortSignal): Promise<boolean>;
}

export function revisionKey(release: Release): RevisionKey {
  return { namespace: release.namespace, name: release.name, version: release.version };
}
