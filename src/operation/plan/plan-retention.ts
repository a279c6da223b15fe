/** The facts about a plan that decide how long it is kept. */
export interface KeptPlan {
  /** `NAMESPACE/NAME@DIGEST`. */
  id: string;
  /** Milliseconds since the Unix epoch. */
  expiresAt: number;
  /** Size as it is stored: characters of JSON in memory, compressed bytes else. */
  size: number;
}

export interface PlanLimits {
  /** Time for which a plan is kept, in milliseconds. */
  lifetime: number;
  maxCount: number;
  /** Number of plans of one release. */
  maxOfRelease: number;
  /** Size of all plans. */
  maxLength: number;
}

/**
 * Time after its expiry for which a plan is kept, in milliseconds, so that the next process can
 * continue its performance.
 */
export const expiryGrace = 60 * 60 * 1000;

export const planLimits: PlanLimits = {
  lifetime: 24 * 60 * 60 * 1000,
  maxCount: 200,
  maxOfRelease: 20,
  maxLength: 32 * 1024 * 1024,
};

/**
 * Returns the plans to delete after `added` was stored: those that have expired, the oldest ones of
 * a release with too many, and if there are still too many, those that were made last. So plans
 * that wait for an approval are not driven out by those of other releases.
 */
export function plansToDrop<Plan extends KeptPlan>(
  plans: readonly Plan[],
  { maxCount, maxOfRelease, maxLength }: PlanLimits,
  now: number,
  added?: string,
): Plan[] {
  const newestFirst = plans.filter(({ expiresAt }) => expiresAt > now).sort((a, b) => b.expiresAt - a.expiresAt);
  const releases = Map.groupBy(newestFirst, ({ id }) => releaseOf(id));
  const kept = new Set([...releases.values()].flatMap((all) => all.slice(0, maxOfRelease)));
  let size = [...kept].reduce((sum, plan) => sum + plan.size, 0);
  for (const plan of newestFirst) {
    if (kept.size <= maxCount && size <= maxLength) break;
    if (plan.id === added || !kept.delete(plan)) continue;
    size -= plan.size;
  }
  return plans.filter((plan) => !kept.has(plan));
}

export function releaseOf(id: string): string {
  return id.split('@')[0] ?? '';
}
