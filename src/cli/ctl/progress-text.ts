import type { ResourceProgress } from '../../protocol/progress.ts';

/** Returns how far a resource is, and why: `3/5 updated, 2 ready; Replicas: 3/5`. May be empty. */
export function progressText({ counts, reason = '' }: Pick<ResourceProgress, 'counts' | 'reason'>): string {
  return [countsText(counts), reason].filter((text) => text !== '').join('; ');
}

function countsText(counts: ResourceProgress['counts']): string {
  if (counts === undefined) return '';
  const { wanted, updated, ready } = counts;
  return updated === undefined ? `${ready}/${wanted} ready` : `${updated}/${wanted} updated, ${ready} ready`;
}

/** Returns a time as `45s`, `12m` or `3h`. */
export function ageText(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes}m` : `${Math.round(minutes / 60)}h`;
}
