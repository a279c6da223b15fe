import { excessRevisions } from '../../release/history.ts';
import type { Release } from '../../release/release.ts';
import { formatTime } from '../../release/time.ts';
import { revisionOf, withRevision, type OperationState } from '../state/operation-state.ts';
import { knownHistory, type Work } from '../work.ts';
import { deleteRevision } from './delete-revision.ts';
import { recordRevision } from './record.ts';
import type { StateTools } from './step.ts';

/** A new revision, before its creation. */
export interface NewRevision {
  /** Returns it with the time of its deployment. */
  release: (deployedAt: string) => Release;
  labels: Record<string, string>;
  /** Number of revisions to keep, besides the deployed one. 0 keeps all. */
  limit: number;
  /** Whether it may be stored in several objects. */
  chunked: boolean;
}

/**
 * Stores the new revision of the state, and deletes the oldest ones above the limit. The state says
 * so first, so that a revision whose creation was interrupted is found again.
 */
export async function recordOwnRevision(
  state: OperationState,
  work: Work<unknown>,
  tools: StateTools,
  { release, labels, limit, chunked }: NewRevision,
): Promise<OperationState> {
  const { context, materials } = work;
  const { namespace, releaseName: name } = state;
  const { version, stored, deployedAt } = revisionOf(state);
  if (stored !== 'no') {
    const found = await context.storage.get({ namespace, name, version }, tools.signal);
    if (found?.release.info.last_deployed === deployedAt) return withRevision(state, { stored: 'yes' });
  }
  const time = deployedAt ?? formatTime(context.host.now());
  const creating = withRevision(state, { deployedAt: time, stored: 'unknown' });
  if (stored === 'no') await tools.save(creating);
  try {
    if (limit > 0) {
      const excess = excessRevisions(await knownHistory(work, state, tools.signal), limit - 1);
      for (const revision of excess) await deleteRevision(context.storage, revision, tools.signal);
    }
    const created = await recordRevision(context, release(time), labels, tools.signal, { chunked });
    materials.revisions.set(version, created);
    // nothing needs them any more
    delete materials.chart;
    delete materials.rendered;
  } catch (error) {
    tools.keep(withRevision(creating, { stored: 'no' }));
    throw error;
  }
  return withRevision(creating, { stored: 'yes' });
}
