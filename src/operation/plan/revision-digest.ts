import { createHash } from 'node:crypto';
import { lastDeployed, lastSuccessful } from '../../release/history.ts';
import type { Hook } from '../../release/hook.ts';
import type { Release } from '../../release/release.ts';
import type { StoredRevision } from '../../release/storage/storage.ts';

/** A stored revision that an operation uses, and a digest of its content. */
export interface UsedRevision {
  version: number;
  /** SHA-256 of everything but status, times and the runs of hooks. */
  digest: string;
}

/**
 * Returns the revisions that an operation uses: the newest one, the deployed one, the one that a
 * failed upgrade goes back to, and the one to deploy again. `revisions` are sorted, the oldest
 * first.
 */
export function usedRevisions(revisions: readonly StoredRevision[], target: number | undefined): UsedRevision[] {
  const used = new Set([
    revisions.at(-1),
    lastDeployed(revisions),
    lastSuccessful(revisions),
    revisions.find(({ release }) => release.version === target),
  ]);
  return [...used].flatMap((revision) => (revision === undefined ? [] : [usedRevision(revision)]));
}

export function usedRevision({ release }: StoredRevision): UsedRevision {
  return { version: release.version, digest: contentDigest(release) };
}

function contentDigest({ manifest, config = {}, hooks = [], chart, apply_method = '' }: Release): string {
  const texts = [manifest, ...hooks.map(hookText).sort(), JSON.stringify(config), JSON.stringify(chart), apply_method];
  const hash = createHash('sha256').update(JSON.stringify(texts.map(({ length }) => length)));
  for (const text of texts) hash.update(text);
  return hash.digest('hex');
}

/** Returns what a hook does. A test run changes the order of the hooks, and their runs. */
function hookText({ last_run: _, ...hook }: Hook): string {
  return JSON.stringify(Object.entries(hook).sort(([a], [b]) => (a < b ? -1 : 1)));
}
