import test from 'ava';
import type { RolloutOptions } from '../../../src/control-plane/index.ts';
import { silentLog } from '../../../src/control-plane/logger.ts';
import { Rollouts } from '../../../src/control-plane/rollouts/rollouts.ts';
import type { StoredEntry } from '../../../src/control-plane/store/command-store.ts';
import { commandTable } from '../../../src/protocol/commands/index.ts';
import { eventually } from '../../support/eventually.ts';
import { randomOf, seedOf } from '../../support/random.ts';
import { type Fleet, fleetOf } from './support/fleet.ts';

/** Entries that are stored one after the other, until the control plane is killed. */
class MortalStore {
  readonly entries: Map<string, StoredEntry>;
  writes = 0;
  isDead = false;
  readonly #killAfter: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(entries: Iterable<[string, StoredEntry]>, killAfter: number) {
    this.entries = new Map(entries);
    this.#killAfter = killAfter;
  }

  keep(entry: StoredEntry): void {
    this.#last = this.#last.then(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.isDead) return await new Promise(() => undefined);
      const name = `${entry.collection} ${entry.id}`;
      if (entry.text === undefined) this.entries.delete(name);
      else this.entries.set(name, entry);
      this.isDead = ++this.writes === this.#killAfter;
      return undefined;
    });
  }

  async stored(): Promise<void> {
    await this.#last;
    if (this.isDead) await new Promise(() => undefined);
  }
}

/** Starts a control plane's rollouts over a fleet with what a store has. */
function start(store: MortalStore, fleet: Fleet): Rollouts {
  let keys = 0;
  const rollouts: Rollouts = new Rollouts({
    ...{ table: commandTable, log: silentLog, now: () => 0, newKey: () => `uid-${++keys}` },
    guard: { sees: () => true, allowsOnAll: () => true, requireUpload: () => undefined },
    agentIds: () => fleet.keys(),
    ...{ presenceOf: () => 'connected', connectedSince: () => 0 },
    labelsOf: () => ({}),
    ...{ hasWebhook: () => true, onStatus: () => undefined, askWebhook: () => Promise.resolve({ status: 204 }) },
    keep: (entry) => store.keep(entry),
    ...{ stored: () => store.stored(), storedLater: () => store.stored(), requireStore: () => undefined },
    send(agentId, { key = '', type, payload = {} }) {
      if (store.isDead) throw new Error('a control plane that was killed has sent a command');
      if (typeof payload === 'string') throw new Error('a rollout has sent the text of a payload');
      const result = fleet.get(agentId)?.perform(key, type, payload) ?? { ok: true };
      return { stored: store.stored(), outcome: () => Promise.resolve(result), cancel: () => undefined };
    },
  });
  rollouts.open([...store.entries.values()]);
  return rollouts;
}

const options: RolloutOptions = {
  ...{ id: 'r', agents: ['*'], payload: { releaseName: 'web', chartName: 'new' } },
  ...{ check: 'hook', soak: false, waves: [{ size: 1 }, { size: 2 }, {}], concurrency: 2 },
};

/** Whether the rollout has ended. Plans that wait are approved. */
function isEnded(rollouts: Rollouts): boolean {
  const [rollout] = rollouts.list();
  const waiting = (rollout?.groups ?? []).filter(({ approvedBy }) => approvedBy === undefined).map(({ id }) => id);
  // a control plane that is killed does not say that it has stored the approval
  if (rollout?.awaitsApproval && waiting.length > 0) void rollouts.approvePlans('r', waiting);
  return ['succeeded', 'failed'].includes(rollout?.phase ?? '');
}

/** Runs a rollout whose control plane is killed after a write. Returns whether it was. */
async function run(fleet: Fleet, killAfter: number, plan: boolean): Promise<{ phase: string; wasKilled: boolean }> {
  const first = new MortalStore([], killAfter);
  const rollouts = start(first, fleet);
  void rollouts.start({ ...options, plan }).catch(() => undefined); // it never ends if the control plane is killed
  await eventually('the rollout ends, or the control plane is killed', () => first.isDead || isEnded(rollouts));
  rollouts.close();
  if (!first.isDead) return { phase: rollouts.get('r').phase, wasKilled: false };
  const second = start(new MortalStore(first.entries, Infinity), fleet);
  await second.start({ ...options, plan });
  await eventually('the rollout ends', () => isEnded(second));
  second.close();
  return { phase: second.get('r').phase, wasKilled: true };
}

const seed = seedOf(process.env);

for (const round of [0, 1, 2, 3]) {
  test(`a control plane that is killed after any write upgrades no cluster twice, with plans or without (round ${round})`, async (t) => {
    t.timeout(120_000);
    t.log(`SEED=${seed}`);
    const random = randomOf(seed + round);
    const failing = random() < 0.5 ? Math.floor(random() * 6) : undefined;
    for (let killAfter = 1; ; killAfter++) {
      const fleet = fleetOf(6);
      const clusters = [...fleet.values()];
      const bad = failing === undefined ? undefined : clusters[failing];
      if (bad) bad.outcome = 'not_ready';
      const { phase, wasKilled } = await run(fleet, killAfter, round % 2 === 1);
      t.is(phase, bad ? 'failed' : 'succeeded', `killed after write ${killAfter}`);
      for (const { revisions, chart } of clusters) {
        const upgrades = revisions.filter((revision) => revision.chart === 'new').length;
        t.true(upgrades <= 1, `killed after write ${killAfter}`);
        if (!bad) t.deepEqual([upgrades, chart], [1, 'new']);
      }
      if (!wasKilled) break;
    }
  });
}
