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

/** Whether an operation is working on the revision, or was when its process ended. */
export function isPending(status: ReleaseStatus): boolean {
  return status.startsWith('pending-');
}
