import test from 'ava';
import { silentLog } from '../../../src/control-plane/logger.ts';
import { type Cluster, newStatus, type RolloutPlan } from '../../../src/control-plane/rollouts/rollout.ts';
import { keepChanges, keepPlan } from '../../../src/control-plane/rollouts/rollout-entries.ts';
import { Rollouts } from '../../../src/control-plane/rollouts/rollouts.ts';
import type { StoredEntry } from '../../../src/control-plane/store/command-store.ts';
import { commandTable } from '../../../src/protocol/commands/index.ts';
import { eventually } from '../../support/eventually.ts';
import { type Fleet, fleetOf, rolloutOf, worldOf } from './support/fleet.ts';

/** Returns the entries of rollouts of different releases that have succeeded. */
function succeeded(fleet: Fleet, count: number, stageOf: (index: number, agentId: string) => Cluster['stage']) {
  const entries: StoredEntry[] = [];
  const keep = (entry: StoredEntry) => entries.push(entry);
  for (let index = 0; index < count; index++) {
    const { plan: first } = rolloutOf(fleet, { waves: [{}], payload: { releaseName: `web-${index}`, chartName: 'c' } });
    const plan: RolloutPlan = { ...first, id: `r${index}`, uid: `u${index}`, number: index + 1 };
    const clusters = new Map(
      [...fleet.keys()].map((id): [string, Cluster] => [id, { stage: stageOf(index, id), attempt: 1, since: 1 }]),
    );
    keepPlan(plan, keep);
    keepChanges(plan, { clusters, status: { ...newStatus(plan), phase: 'succeeded' } }, keep);
  }
  return entries;
}

test('a presence that changes costs little, and only rollouts that it may change take a turn', async (t) => {
  const count = 100;
  const fleet = fleetOf(1000);
  for (const cluster of [...fleet.values()].slice(0, 500)) cluster.presence = 'away';
  let turns = 0;
  const rollouts = new Rollouts({
    ...{ ...worldOf(fleet, 2), now: () => 2, table: commandTable, log: silentLog, newKey: () => 'uid' },
    guard: { sees: () => true, allowsOnAll: () => true, requireUpload: () => undefined },
    agentIds: () => fleet.keys(),
    ...{ hasWebhook: () => true, onStatus: () => undefined, askWebhook: () => Promise.resolve({ status: 204 }) },
    ...{ keep: () => undefined, stored: () => Promise.resolve(), requireStore: () => undefined },
    storedLater() {
      turns++; // a turn that changes nothing asks once
      return Promise.resolve();
    },
    send() {
      throw new Error('nothing is to be done');
    },
  });
  t.teardown(() => rollouts.close());
  const entries = succeeded(fleet, count, (index, agentId) => {
    if (fleet.get(agentId)?.presence === 'away') return 'away';
    // the rollout that wakes last
    return agentId === 'edge-00999' && index === count - 1 ? 'held' : 'updated';
  });
  rollouts.open(entries);
  await eventually('all have taken a turn', () => turns === count);
  const times: number[] = [];
  for (let round = 2; round < 5; round++) {
    const start = process.cpuUsage();
    rollouts.onPresence('edge-00000');
    await eventually('all have taken a turn', () => turns === round * count);
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000);
  }
  t.true(Math.min(...times) < 250, `${Math.min(...times)} ms`);
  const before = turns;
  rollouts.onPresence('edge-00999');
  await eventually('a rollout has taken a turn', () => turns > before);
  t.is(turns, before + 1);
});
