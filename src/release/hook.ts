/** When hooks run, by Helm's names. */
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

/** The last run of a hook. Times are RFC 3339; absent or empty where it never ran or has not ended. */
export interface HookExecution {
  started_at?: string;
  completed_at?: string;
  /** `Unknown`, `Running`, `Succeeded`, `Failed`; empty where it never ran. */
  phase: string;
}

/** A manifest that runs at an event instead of being installed. Field names are those of Helm's JSON (pkg/release/v1/hook.go). */
export interface Hook {
  name: string;
  kind: string;
  /** The template it came from: `chart/templates/job.yaml`. */
  path: string;
  manifest: string;
  /** Events that Helm knows; see {@link hookEvents}. */
  events: string[];
  last_run: HookExecution;
  /** Hooks of an event run by weight, then by name. Absent is 0. */
  weight?: number;
  /** `before-hook-creation`, `hook-succeeded`, `hook-failed`; others are without effect. */
  delete_policies?: string[];
  /** `hook-succeeded`, `hook-failed`. */
  output_log_policies?: string[];
}
