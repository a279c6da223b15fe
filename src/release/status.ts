/** Statuses of a revision (pkg/release/common/status.go). */
export const releaseStatuses = [
  'unknown',
  'deployed',
  'uninstalled',
  'superseded',
  'failed',
  'uninstalling',
  'pending-install',
  'pending-upgrade',
  'pending-rollback',
] as const;

export type ReleaseStatus = (typeof releaseStatuses)[number];

/** Whether an operation is deploying the revision, or was when its process ended. */
export function isPending(status: ReleaseStatus): boolean {
  return status.startsWith('pending-');
}

/** Whether an operation is deploying or uninstalling a revision, or was when its process ended. */
export function isUnfinished(status: ReleaseStatus): boolean {
  return isPending(status) || status === 'uninstalling';
}
