import type { Host } from '../../go/host.ts';
import { epochMilliseconds } from '../clock.ts';
import type { PlanEntry } from './plan-entry.ts';
import { type KeptPlan, type PlanLimits, planLimits, plansToDrop } from './plan-retention.ts';

/** A store of plans. */
export interface Plans {
  /** Time for which a plan is kept, in milliseconds. */
  readonly lifetime: number;
  /** Whether plans outlive the process. */
  readonly isDurable: boolean;
  /** Keeps a plan until it expires. May drop others to make room, see {@link plansToDrop}. */
  add(entry: PlanEntry): Promise<void>;
  /**
   * Returns the plan with this id, or whose id starts with it. Undefined if there is none. A plan
   * that has expired is only found if its performance has started.
   */
  find(id: string, isStarted?: boolean): Promise<PlanEntry | undefined>;
  /** Deletes the plan that {@link find} returns for this id, once it was performed. */
  remove(id: string): Promise<void>;
  /** Deletes the plans that have expired, as long ago as {@link expiryGrace}. */
  dropExpired(): Promise<void>;
}

/** Keeps plans in memory, as JSON. */
export function memoryPlans(host: Pick<Host, 'now'>, given: Partial<PlanLimits> = {}): Plans {
  const limits = { ...planLimits, ...given };
  const plans = new Map<string, KeptPlan & { text: string }>();

  function drop(added?: string): void {
    for (const { id } of plansToDrop([...plans.values()], limits, epochMilliseconds(host), added)) plans.delete(id);
  }

  /** Returns the plan with this id, or whose id starts with it, unless several do. */
  function onlyOf(id: string) {
    const found = [...plans.values()].filter((known) => known.id.startsWith(id));
    return found.length === 1 ? found[0] : undefined;
  }

  return {
    lifetime: limits.lifetime,
    isDurable: false,
    async add(entry) {
      await Promise.resolve();
      const { id, expiresAt } = entry;
      const text = JSON.stringify(entry);
      plans.delete(id);
      plans.set(id, { id, expiresAt, size: text.length, text });
      drop(id);
    },
    async find(id, isStarted = false) {
      if (!isStarted) drop();
      const only = onlyOf(id);
      return Promise.resolve(only && (JSON.parse(only.text) as PlanEntry)); // as `add` wrote it
    },
    async remove(id) {
      await Promise.resolve();
      const only = onlyOf(id);
      if (only !== undefined) plans.delete(only.id);
    },
    dropExpired() {
      drop();
      return Promise.resolve();
    },
  };
}
