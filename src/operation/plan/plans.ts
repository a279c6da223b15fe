import type { Host } from '../../go/host.ts';
import type { GivenApprovals } from '../../policy/plan-approvals.ts';
import { epochMilliseconds } from '../clock.ts';
import { OperationError } from '../error.ts';
import { type PlanEntry, planText, readPlan } from './plan-entry.ts';
import { type KeptPlan, type PlanLimits, planLimits, plansToDrop } from './plan-retention.ts';

/** Number of approvals that are kept with a plan. */
export const maxApprovals = 8;

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
  /**
   * Deletes the plan that {@link find} returns for this id, with its approvals, once it was
   * performed or is out of date.
   */
  remove(id: string): Promise<void>;
  /**
   * Keeps the envelope of an approval with a plan, whose id has the full digest. Rejects with
   * `plan_not_found` if there is none, and with `forbidden` if it has {@link maxApprovals} others.
   */
  approve(id: string, envelope: string): Promise<void>;
  /** Returns by what a plan was approved. Its id has the full digest. */
  approvals(id: string): Promise<GivenApprovals>;
  /**
   * Returns the Secret of a plan, whose annotation can approve it: `NAMESPACE/NAME`. Default: plans
   * have no Secrets.
   */
  secretOf?(id: string): string;
  /** Deletes the plans that have expired, as long ago as {@link expiryGrace}. */
  dropExpired(): Promise<void>;
}

/** Keeps plans in memory, as JSON. */
export function memoryPlans(host: Pick<Host, 'now'>, given: Partial<PlanLimits> = {}): Plans {
  const limits = { ...planLimits, ...given };
  const plans = new Map<string, KeptPlan & { text: string; envelopes: Set<string> }>();

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
      const text = planText(entry);
      plans.delete(id);
      plans.set(id, { id, expiresAt, size: text.length, text, envelopes: new Set() });
      drop(id);
    },
    async find(id, isStarted = false) {
      if (!isStarted) drop();
      const only = onlyOf(id);
      return Promise.resolve(only && readPlan(only.text));
    },
    async remove(id) {
      await Promise.resolve();
      const only = onlyOf(id);
      if (only !== undefined) plans.delete(only.id);
    },
    approve(id, envelope) {
      drop();
      const envelopes = plans.get(id)?.envelopes;
      if (envelopes === undefined) return Promise.reject(missingPlan(id));
      if (envelopes.size >= maxApprovals && !envelopes.has(envelope)) return Promise.reject(tooManyApprovals(id));
      envelopes.add(envelope);
      return Promise.resolve();
    },
    approvals: (id) => Promise.resolve({ envelopes: [...(plans.get(id)?.envelopes ?? [])], isAnnotated: false }),
    dropExpired() {
      drop();
      return Promise.resolve();
    },
  };
}

/** Returns the error for a plan that is not kept. */
export function missingPlan(id: string, { lifetime = planLimits.lifetime, isDurable = true } = {}): OperationError {
  const hours = lifetime / 3_600_000;
  return new OperationError(
    'plan_not_found',
    `there is no plan ${id}: plans expire after ${hours} hours${isDurable ? '' : ', and with the agent'}, and are deleted once they were performed or are out of date; make a new plan`,
  );
}

/** Returns the error for a plan with as many approvals as are kept. */
export function tooManyApprovals(id: string): OperationError {
  return new OperationError('forbidden', `plan ${id} has ${maxApprovals} approvals already; make a new plan`);
}
