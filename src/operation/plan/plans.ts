import type { Host } from '../../go/host.ts';
import type { PlanEntry } from './plan-entry.ts';
import { epochMilliseconds } from '../clock.ts';

/** A store of plans. */
export interface Plans {
  /** Time for which a plan is kept, in milliseconds. */
  readonly lifetime: number;
  /** Keeps a plan until it expires. May drop the oldest ones to make room. */
  add(entry: PlanEntry): Promise<void>;
  /** Returns the plan with this id, or whose id starts with it. Undefined if there is none. */
  find(id: string): Promise<PlanEntry | undefined>;
}

export interface MemoryPlansOptions {
  /** Time for which a plan is kept, in milliseconds. Default: 24 hours. */
  lifetime?: number;
  /** Default: 200. */
  maxCount?: number;
  /** Size of all plans as JSON, in UTF-16 units. Default: 32 Mi. */
  maxLength?: number;
}

const day = 24 * 60 * 60 * 1000;

/** Keeps plans in memory, as JSON. Drops those that have expired, and the oldest if it is full. */
export function memoryPlans(
  host: Pick<Host, 'now'>,
  { lifetime = day, maxCount = 200, maxLength = 32 * 1024 * 1024 }: MemoryPlansOptions = {},
): Plans {
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
    async find(id) {
      dropExpired();
      const found = [...plans].filter(([known]) => known.startsWith(id));
      const [only] = found;
      // a prefix of several ids names none of them
      return Promise.resolve(found.length === 1 && only ? (JSON.parse(only[1].text) as PlanEntry) : undefined);
    },
  };
}
