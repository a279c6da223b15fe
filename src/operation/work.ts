import type { ChartContent } from '../chart/load/chart-content.ts';
import type { Access } from '../objects/access.ts';
import type { ClusterCapabilities } from '../objects/cluster.ts';
import type { KubeObject } from '../objects/object.ts';
import type { AppliedStatus } from '../readiness/index.ts';
import { ReleaseError } from '../release/error.ts';
import { history } from '../release/history.ts';
import type { StoredRevision } from '../release/storage/storage.ts';
import type { CrdManifest, RenderedRelease } from '../render/release-renderer.ts';
import { certainWrites } from './certain-writes.ts';
import type { OperationContext } from './context.ts';
import type { ObjectPreview } from './diff/preview.ts';
import type { Redaction } from './evidence/release-redaction.ts';
import type { LogBudget } from './logs/log-budget.ts';
import { withHookRuns } from './state/hook-run.ts';
import { type OperationState, revisionOf } from './state/operation-state.ts';
import type { TestLog } from './steps/hooks/test-logs.ts';
import type { ReadSources } from './steps/values-sources.ts';
import { createTracker, type Tracker } from './tracker/tracker.ts';

/** Dependencies and request of the steps, and what the steps of this process have read. */
export interface Work<Request> {
  context: WorkContext;
  request: Request;
  cache: WorkCache;
}

/** Dependencies of an operation that runs. */
export interface WorkContext extends OperationContext {
  tracker: Tracker;
}

/** Values that steps share. All of them can be read or made again from the state. */
interface WorkCache {
  chart?: ChartContent;
  /** API versions of the CRDs of the chart. */
  newApiVersions?: readonly string[];
  capabilities?: ClusterCapabilities;
  /** Whether discovery was read during this operation. */
  hasPresentKinds?: boolean;
  /** The values that the request only names. */
  sources?: ReadSources;
  rendered?: RenderedRelease;
  /** Outcome of the trial render before the CRDs. */
  rehearsed?: RenderedRelease;
  /** CRDs that would be applied, if the request asks for a plan. */
  crds?: readonly CrdManifest[];
  /** The rights that the operation needs, if the request asks for a plan. */
  access?: readonly Access[];
  /** The effects on objects, if the request asks for a preview. */
  previews?: readonly ObjectPreview[];
  /** Statuses of the objects that this process has applied, as the API server has returned them. */
  applied?: Map<string, AppliedStatus>;
  /** The bytes of logs that the operation may still report. */
  logBudget?: LogBudget;
  /** Replaces the secrets of the manifests that `key` names. */
  redaction?: Redaction & { key: string };
  /** The live objects that an operation on single objects changes or waits for. */
  actedOn?: readonly KubeObject[];
  /** Logs of tests. */
  logs?: TestLog[];
  /** Revisions as they were last read or written, by version. */
  revisions: Map<number, StoredRevision>;
  /** Whether these are all revisions of the release. */
  hasHistory: boolean;
  /** The errors of the revisions that are left out of the history. */
  unreadable?: readonly ReleaseError[];
  /** The error of `state.failure`, with its cause. */
  error?: unknown;
}

export function newWork<Request>(context: OperationContext, request: Request): Work<Request> {
  const cluster = certainWrites(context.cluster, context.abandon);
  const tracker = context.tracker ?? createTracker(cluster);
  return { context: { ...context, cluster, tracker }, request, cache: { revisions: new Map(), hasHistory: false } };
}

/**
 * Reads all revisions of the release, the oldest first. As in Helm, those that cannot be read are
 * left out. Fails if that leaves none: the release exists nevertheless.
 */
export async function readHistory(
  { context, cache }: Work<unknown>,
  { namespace, releaseName }: OperationState,
  signal: AbortSignal | undefined,
): Promise<StoredRevision[]> {
  const unreadable: ReleaseError[] = [];
  const revisions = await history(context.storage, namespace, releaseName, signal, (error) => {
    unreadable.push(error);
  });
  const [problem] = unreadable;
  if (revisions.length === 0 && problem !== undefined) throw problem;
  cache.unreadable = unreadable;
  cache.revisions = new Map(revisions.map((revision) => [revision.release.version, revision]));
  cache.hasHistory = true;
  return revisions;
}

/** Returns all revisions, the oldest first. Reads them only if this process has not. */
export async function knownHistory(
  work: Work<unknown>,
  state: OperationState,
  signal: AbortSignal | undefined,
): Promise<StoredRevision[]> {
  const { revisions, hasHistory } = work.cache;
  if (!hasHistory) return await readHistory(work, state, signal);
  return [...revisions.values()].sort((a, b) => a.release.version - b.release.version);
}

/** Returns a revision. Reads it only if this process has not. Throws `release_not_found`. */
export async function storedRevision(
  { context, cache }: Work<unknown>,
  { namespace, releaseName: name }: OperationState,
  version: number,
  signal: AbortSignal | undefined,
): Promise<StoredRevision> {
  const known = cache.revisions.get(version) ?? (await context.storage.get({ namespace, name, version }, signal));
  if (known === undefined) throw new ReleaseError('release_not_found', 'release: not found');
  cache.revisions.set(version, known);
  return known;
}

/**
 * Returns the revision that the operation deploys, with the runs of its hooks. Throws
 * `release_conflict` if it belongs to another operation.
 */
export async function ownRevision(
  work: Work<unknown>,
  state: OperationState,
  signal: AbortSignal | undefined,
): Promise<StoredRevision> {
  const { version, deployedAt, hooks } = revisionOf(state);
  const stored = await storedRevision(work, state, version, signal);
  if (deployedAt !== undefined && stored.release.info.last_deployed !== deployedAt) {
    throw new ReleaseError('release_conflict', `revision ${version} was replaced by another client`);
  }
  return { ...stored, release: withHookRuns(stored.release, hooks) };
}
