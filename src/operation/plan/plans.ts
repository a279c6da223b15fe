import type { Host } from '../../go/host.ts';
import type { PlanEntry } from './plan-entry.ts';
import { epochMilliseconds } from '../clock.ts';

/** A store of plans. */
export interface Plans {
  /** Time for which a plan is kept, in milliseconds. */
  readonly lifetime: number;
  /** Whether plans outlive the process. */
  readonly isDurable: boolean;
  /** Keeps a plan until it expires. May drop the oldest ones to make room. */
  add(entry: PlanEntry): Promise<void>;
  /**
   * Returns the plan with this id, or whose id starts with it. Undefined if there is none. A plan
   * that has expired is only found if its performance has started.
   */
  find(id: string, isStarted?: boolean): Promise<PlanEntry | undefined>;
}

export interface PlanLimits {
  /** Time for which a plan is kept, in milliseconds. */
  lifetime: number;
  maxCount: number;
  /** Size of all plans as they are stored: characters of JSON in memory, compressed bytes else. */
  maxLength: number;
}

export const planLimits: PlanLimits = {
  lifetime: 24 * 60 * 60 * 1000,
  maxCount: 200,
  maxLength: 32 * 1024 * 1024,
};

/** Keeps plans in memory, as JSON. Drops those that have expired, and the oldest if it is full. */
export function memoryPlans(host: Pick<Host, 'now'>, limits: Partial<PlanLimits> = {}): Plans {
  const { lifetime, maxCount, maxLength } = { ...planLimits, ...limits };
  const plans = new Map<string, { text: string; expiresAt: number }>();
  let length = 0;

  function drop(id: string, text: string): void {
    plans.delete(id);
    length -= text.length;
  }

  function dropExpired(): void {
    const now = epochMilliseconds(host);
    for (const [id, { text, expiresAt }] of plans) if (expiresAt <= now) drop(id, text);
  }

  return {
    lifetime,
    isDurable: false,
    async add(entry) {
      dropExpired();
      const text = JSON.stringify(entry);
      const known = plans.get(entry.id);
      if (known !== undefined) drop(entry.id, known.text);
      for (const [id, oldest] of plans) {
        if (plans.size < maxCount && length + text.length <= maxLength) break;
        drop(id, oldest.text);
      }
      plans.set(entry.id, { text, expiresAt: entry.expiresAt });
      length += text.length;
      return Promise.resolve();
    },
    async find(id, isStarted = false) {
      if (!isStarted) dropExpired();
      const found = [...plans].filter(([known]) => known.startsWith(id));
      const [only] = found;
      // a prefix of several ids names none of them
      return Promise.resolve(found.length === 1 && only ? (JSON.parse(only[1].text) as PlanEntry) : undefined);
    },
  };
}
