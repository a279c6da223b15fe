import type { Release } from '../../release/release.ts';
import type { StoredRevision } from '../../release/storage/storage.ts';

/**
 * Returns how long the operation took that has deployed a revision, in milliseconds: from its start
 * to the last write of the revision. Undefined if that is not known, as after later runs of tests,
 * which are written to it too.
 */
export function deploymentTime({ release, labels }: Pick<StoredRevision, 'release' | 'labels'>): number | undefined {
  const { status, last_deployed: start = '' } = release.info;
  if (status !== 'deployed' || hasTestRun(release)) return undefined;
  const time = Number(labels['modifiedAt'] ?? NaN) * 1000 - Date.parse(start);
  return time > 0 ? time : undefined;
}

function hasTestRun({ hooks = [] }: Release): boolean {
  return hooks.some(({ events, last_run: run }) => events.includes('test') && Date.parse(run.started_at ?? '') > 0);
}
