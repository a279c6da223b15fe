import { excessRevisions } from '../../release/history.ts';
import type { Release, ReleaseInfo } from '../../release/release.ts';
import { customLabels, systemLabels } from '../../release/storage/storage.ts';
import { formatTime } from '../../release/time.ts';
import type { RenderedRelease } from '../../render/release-renderer.ts';
import type { ApplyMethod } from '../apply/apply-settings.ts';
import { OperationError } from '../error.ts';
import type { DeployOptions } from '../request.ts';
import { type OperationState, revisionOf, withRevision } from '../state/operation-state.ts';
import { knownHistory, type Work } from '../work.ts';
import { deleteRevision, recordRevision } from './revisions.ts';
import type { StateTools } from './step.ts';

/** A new revision, before its creation. */
interface NewRevision {
  /** Returns it with the time of its deployment. */
  release: (deployedAt: string) => Release;
  labels: Record<string, string>;
  /** Number of revisions to keep, besides the deployed one. 0 keeps all. */
  limit: number;
  /** Whether it may be stored in several objects. */
  chunked: boolean;
  /** Whether its content is that of this agent, not of a record that another client wrote. */
  isOwn: boolean;
  /** Changes the revision before, unless that is done already. */
  settleLast: () => Promise<void>;
}

/**
 * Stores the new revision of the state, and deletes the oldest ones above the limit, except those
 * that another process would need to continue: see {@link deleteExcess}. The state says so before
 * anything is changed, so that a creation that was interrupted is continued.
 */
export async function recordOwnRevision(
  state: OperationState,
  work: Work<unknown>,
  tools: StateTools,
  { release, labels, limit, chunked, isOwn, settleLast }: NewRevision,
): Promise<OperationState> {
  const { context, cache } = work;
  const { namespace, releaseName: name } = state;
  const { version, stored, deployedAt, target, baselines } = revisionOf(state);
  if (stored !== 'no') {
    const found = await context.storage.get({ namespace, name, version }, tools.signal);
    if (found?.release.info.last_deployed === deployedAt) return withRevision(state, { stored: 'yes' });
  }
  const time = deployedAt ?? formatTime(context.host.now());
  const old = limit > 0 ? excessRevisions(await knownHistory(work, state, tools.signal), limit - 1) : [];
  const needed = new Set([version - 1, target, ...baselines]);
  const excess = old.map(({ release: { version: number } }) => number).filter((number) => needed.has(number));
  const creating = withRevision(state, { deployedAt: time, stored: 'unknown', ...(excess.length > 0 && { excess }) });
  if (stored === 'no') await tools.save(creating);
  try {
    await settleLast();
    for (const revision of old) {
      if (!needed.has(revision.release.version)) await deleteRevision(context.storage, revision, tools.signal);
    }
    const created = await recordRevision(context, release(time), labels, tools.signal, { chunked, isOwn });
    cache.revisions.set(version, created);
    // nothing needs them any more
    delete cache.chart;
    delete cache.rendered;
  } catch (error) {
    tools.keep(withRevision(creating, { stored: 'no' }));
    throw error;
  }
  return withRevision(creating, { stored: 'yes' });
}

/** Deletes the revisions above the limit that were kept because the operation needed them. */
export async function deleteExcess(
  state: OperationState,
  { context: { storage } }: Work<unknown>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { namespace, releaseName: name } = state;
  for (const version of revisionOf(state).excess ?? []) {
    const stored = await storage.get({ namespace, name, version }, signal);
    if (stored !== undefined) await deleteRevision(storage, stored, signal);
  }
}

/** Description of a revision that was not deployed. */
export const dryRunDescription = 'Dry run complete';

/** Number of revisions that the helm CLI keeps by default. */
export const defaultHistoryLimit = 10;

/** Returns a new revision with a rendered chart. */
export function newRevision(
  identity: { name: string; namespace: string; version: number },
  info: ReleaseInfo,
  rendered: RenderedRelease,
  method: ApplyMethod,
): Release {
  return {
    name: identity.name,
    info: { ...info, ...(rendered.notes !== '' && { notes: rendered.notes }) },
    chart: rendered.chart,
    ...(Object.keys(rendered.config).length > 0 && { config: rendered.config }),
    manifest: rendered.manifest,
    ...(rendered.hooks.length > 0 && { hooks: rendered.hooks }),
    version: identity.version,
    namespace: identity.namespace,
    apply_method: method,
    ...(rendered.secretPaths && { secret_values: [...rendered.secretPaths] }),
  };
}

type Labels = Readonly<Record<string, string>>;

/** Returns the labels of a new release. Throws `bad_payload` for one of Helm's own labels. */
export function installLabels(labels: Labels = {}): Record<string, string> {
  if (Object.keys(labels).some((name) => systemLabels.has(name))) {
    const reserved = [...systemLabels].join(' ');
    const message = `user supplied labels contains system reserved label name. System labels: [${reserved}]`;
    throw new OperationError('bad_payload', message);
  }
  return { ...labels };
}

/**
 * Returns the labels of an upgrade from a revision with `stored` labels. The value `null` removes a
 * label (pkg/action/upgrade.go: mergeCustomLabels).
 */
export function upgradeLabels(stored: Record<string, string>, labels: Labels = {}): Record<string, string> {
  const merged = { ...customLabels(stored), ...installLabels(labels) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== 'null'));
}

/**
 * Throws `release_too_large`, before anything changes, if the revision cannot be stored, and
 * `denied_by_policy` if the policy does not allow the size of its values.
 */
export async function requireFit(
  state: OperationState,
  { context, request }: Work<Pick<DeployOptions, 'storage'>>,
  rendered: RenderedRelease,
  signal: AbortSignal,
): Promise<void> {
  context.policy?.requireValues(rendered.config);
  const { namespace, releaseName: name } = state;
  const { version, apply } = revisionOf(state);
  const release = newRevision({ name, namespace, version }, { status: 'pending-upgrade' }, rendered, apply.method);
  await context.storage.requireFit(release, { chunked: request.storage === 'chunked' }, signal);
}
