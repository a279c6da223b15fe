import type { Identity } from '../agent/commands/index.ts';
import type { ServiceAccount } from '../objects/service-account.ts';
import type { Tracker } from '../operation/tracker/tracker.ts';

/** An identity with what has to be closed. */
export type OpenIdentity = Identity & { tracker: Tracker };

/** Most identities without a running command that are kept for the next one. */
const maxIdle = 50;

interface Used {
  identity: OpenIdentity;
  users: number;
}

/** The identities that an agent acts as: each has its own client, watches and release storage. */
export interface Identities {
  runAs<Result>(account: ServiceAccount | undefined, work: (identity: Identity) => Promise<Result>): Promise<Result>;
  /** Ends all watches. */
  close(): Promise<void>;
}

/** Returns identities that `open` makes. Keeps those that were used last. */
export function createIdentities(open: (account: ServiceAccount | undefined) => OpenIdentity): Identities {
  /** By account; an empty text for the agent itself. The one that was used last comes last. */
  const known = new Map<string, Used>();

  async function closeIdle(): Promise<void> {
    const idle = [...known].filter(([, { users }]) => users === 0);
    const closed = idle.slice(0, Math.max(0, idle.length - maxIdle));
    for (const [key] of closed) known.delete(key);
    await Promise.all(closed.map(([, { identity }]) => identity.tracker.close()));
  }

  return {
    async runAs(account, work) {
      const key = account ?? '';
      const used = known.get(key) ?? { identity: open(account), users: 0 };
      known.delete(key);
      known.set(key, used);
      used.users++;
      try {
        return await work(used.identity);
      } finally {
        used.users--;
        await closeIdle();
      }
    },
    async close() {
      await Promise.all([...known.values()].map(({ identity }) => identity.tracker.close()));
    },
  };
}
