import type { ReleaseError } from '../error.ts';
import type { Release } from '../release.ts';
import type { ReleaseStatus } from '../status.ts';

/** A revision and the metadata of its stored object. */
export interface StoredRevision {
  release: Release;
  /** All labels of the stored object, including Helm's own; see {@link customLabels}. */
  labels: Record<string, string>;
  /** Of the stored object, if it is one of a cluster. */
  uid?: string;
  /** Changes with every write. An update or a deletion with an old one is refused. */
  resourceVersion: string;
  /** Where its content is, if it is stored in several objects. */
  parts?: PartsReference;
  /**
   * Whether an agent with the key of this storage wrote its content. An update keeps this: the
   * record of another client stays one when its status changes. Default: false.
   */
  isOwn?: boolean;
  /** Whether nothing works on it any more, so that no holder is written. Default: false. */
  isReleased?: boolean;
}

/** Identifies the objects that a large revision is stored in. */
export interface PartsReference {
  /** The revision that they were stored for. Helm copies the reference when it rolls back to it. */
  version: number;
  count: number;
  /** SHA-256 of the encoded release, in hexadecimal. */
  digest: string;
}

export interface CreateOptions {
  /** Stores a release in several objects if it does not fit in one. Default: that is an error. */
  chunked?: boolean | undefined;
  /** Whether its content is the agent's own, see {@link StoredRevision.isOwn}. Default: false. */
  isOwn?: boolean | undefined;
}

export interface RevisionKey {
  namespace: string;
  name: string;
  version: number;
}

export interface RevisionQuery {
  /** Default: all namespaces. */
  namespace?: string;
  name?: string;
  status?: ReleaseStatus;
  /**
   * Selects only the highest readable revision of each release, before `status` applies. Default:
   * false.
   */
  latestOnly?: boolean;
  /** Leaves out notes, values, manifests and files: long lists are small. Default: false. */
  summary?: boolean;
  /**
   * Called for each revision that is left out because it cannot be read. Default: they are only
   * logged, and a release of which nothing can be read is an error.
   */
  onUnreadable?: (error: ReleaseError) => void;
}

/** A store of releases. Throws {@link ReleaseError} and the errors of the cluster. */
export interface ReleaseStorage {
  /** The resource that revisions are stored in. Default: `secrets`. */
  readonly resource?: 'secrets' | 'configmaps';
  get(key: RevisionKey, signal?: AbortSignal): Promise<StoredRevision | undefined>;
  /** Returns the matching revisions, in no particular order. */
  query(query: RevisionQuery, signal?: AbortSignal): Promise<StoredRevision[]>;
  /**
   * Stores a new revision. Fails with `release_exists` if there is one already, so that it serves
   * as the lock between two operations on a release.
   */
  create(
    release: Release,
    customLabels: Record<string, string>,
    signal?: AbortSignal,
    options?: CreateOptions,
  ): Promise<StoredRevision>;
  /**
   * Throws `release_too_large` if the release is too large to be stored. Only looks at the size of
   * its texts if that is enough.
   */
  requireFit(release: Release, options?: CreateOptions, signal?: AbortSignal): Promise<void>;
  /**
   * Writes `revision.release`. Fails with `release_conflict` if the stored revision has changed
   * since it was read.
   */
  update(revision: StoredRevision, signal?: AbortSignal): Promise<StoredRevision>;
  /**
   * Returns whether there was this revision to delete. Fails with `release_conflict` if the stored
   * revision has changed since it was read.
   */
  delete(revision: StoredRevision, signal?: AbortSignal): Promise<boolean>;
}

export function revisionKey({ namespace, name, version }: Release): RevisionKey {
  return { namespace, name, version };
}

/** Labels that Helm sets on stored revisions. A release cannot have its own values for them. */
export const systemLabels: ReadonlySet<string> = new Set([
  'name',
  'owner',
  'status',
  'version',
  'createdAt',
  'modifiedAt',
]);

/** Returns the labels that the user gave to the release. */
export function customLabels(labels: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !systemLabels.has(key)));
}

/** Returns the labels of a stored revision, by which Helm finds it. */
export function storageLabels(release: Release, others: Record<string, string>): Record<string, string> {
  return {
    ...others,
    name: release.name,
    owner: 'helm',
    status: release.info.status,
    version: String(release.version),
  };
}

/** Returns a release without what `summary` leaves out. */
export function summaryOf({ name, namespace, version, info, chart }: Release): Release {
  const shown = { ...info };
  delete shown.notes;
  const nothing = { lock: null, templates: null, values: null, schema: null, files: null };
  return { name, namespace, version, info: shown, chart: { ...nothing, metadata: chart.metadata }, manifest: '' };
}

/** Returns the items with the highest revision of each release. */
export function latestOf<T>(items: readonly T[], keyOf: (item: T) => RevisionKey): T[] {
  return newestFirst(items, keyOf).flatMap(([latest]) => (latest === undefined ? [] : [latest]));
}

/** Returns the items of each release, those with the highest revision first. */
export function newestFirst<T>(items: readonly T[], keyOf: (item: T) => RevisionKey): T[][] {
  const releases = Map.groupBy(items, (item) => {
    const { namespace, name } = keyOf(item);
    return `${namespace}/${name}`;
  });
  return Array.from(releases.values(), (all) => all.sort((a, b) => keyOf(b).version - keyOf(a).version));
}
