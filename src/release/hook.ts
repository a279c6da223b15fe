/** Events at which hooks run. */
export const hookEvents = [
  'pre-install',
  'post-install',
  'pre-delete',
  'post-delete',
  'pre-upgrade',
  'post-upgrade',
  'pre-rollback',
  'post-rollback',
  'test',
] as const;

export type HookEvent = (typeof hookEvents)[number];

/**
 * The last run of a hook. Times are RFC 3339. They are absent or empty if the hook has not started
 * or not ended.
 */
export interface HookExecution {
  started_at?: string;
  completed_at?: string;
  /** `Unknown`, `Running`, `Succeeded` or `Failed`. Empty if the hook has never run. */
  phase: string;
}

/**
 * A manifest that is created at an event instead of with the release. Field names are those of
 * Helm's JSON (pkg/release/v1/hook.go).
 */
export interface Hook {
  name: string;
  kind: string;
  /** Path of its template: `chart/templates/job.yaml`. */
  path: string;
  manifest: string;
  /** See {@link hookEvents}. */
  events: string[];
  last_run: HookExecution;
  /** Hooks of an event run in the order of weight, then of name. Default: 0. */
  weight?: number;
  /** `before-hook-creation`, `hook-succeeded` and `hook-failed`. Others have no effect. */
  delete_policies?: string[];
  /** `hook-succeeded` and `hook-failed`. */
  output_log_policies?: string[];
}
