import test from 'ava';
import { abortRollout, approvePlans, retryRollout } from '../../../src/control-plane/rollouts/decisions.ts';
import { clusterOf, type Rollout } from '../../../src/control-plane/rollouts/rollout.ts';
import {
  apply,
  FakeCluster,
  type Fleet,
  fleetOf,
  perform,
  rolloutOf,
  settled,
  stagesOf,
  step,
} from './support/fleet.ts';

function undone(rollout: Rollout, fleet: Fleet, now = 0): Rollout {
  return settled(apply(rollout, abortRollout(rollout, now, 'kim', true)), fleet, now);
}

for (const outcome of ['not_ready', 'test fails', 'job fails'] as const) {
  for (const deployed of [['old'], []]) {
    const what = deployed.length === 0 ? 'an installation' : 'an update';
    test(`a release that another has deployed after ${what} with "${outcome}" is left as it is`, (t) => {
      const cluster = new FakeCluster(deployed);
      const fleet = new Map([['edge', cluster]]);
      cluster.outcome = outcome;
      const paused = settled(rolloutOf(fleet, { test: true, job: 'smoke', onFailure: 'pause' }), fleet);
      cluster.outcome = 'ok';
      cluster.perform('theirs', 'install_release', { chartName: 'theirs' });
      const version = cluster.revisions.length;
      const aborted = undone(paused, fleet);
      t.deepEqual([stagesOf(aborted), cluster.chart], [{ stuck: 1 }, 'theirs']);
      const { message } = clusterOf(aborted, 'edge').failure ?? {};
      t.is(message, `revision ${version} was deployed since, and is left as it is`);
    });
  }
}

test('a release that another has installed while a failed cluster was away is left as it is', (t) => {
  for (const deployed of [['old'], []]) {
    const cluster = new FakeCluster(deployed);
    const fleet = new Map([
      ['a', cluster],
      ['b', new FakeCluster()],
    ]);
    cluster.outcome = 'not_ready';
    let rollout = step(rolloutOf(fleet, { waves: [{}] }), fleet, 0);
    while (clusterOf(rollout, 'a').stage !== 'failed') rollout = perform(rollout, fleet, 'a', 0);
    cluster.presence = 'away';
    rollout = settled(rollout, fleet);
    t.is(rollout.status.phase, 'failed');
    cluster.outcome = 'ok';
    cluster.perform('theirs', 'install_release', { chartName: 'theirs' });
    cluster.presence = 'connected';
    rollout = settled(rollout, fleet, 86_400_000);
    t.deepEqual([clusterOf(rollout, 'a').stage, cluster.chart], ['stuck', 'theirs']);
  }
});

test('a release that another has installed again, with other numbers, is left as it is', (t) => {
  const cluster = new FakeCluster(['older', 'old']);
  const fleet = new Map([['edge', cluster]]);
  const updated = settled(rolloutOf(fleet), fleet);
  cluster.perform('gone', 'uninstall_release', {});
  cluster.perform('theirs', 'install_release', { chartName: 'theirs' });
  const aborted = undone(updated, fleet);
  t.deepEqual([stagesOf(aborted), cluster.chart], [{ stuck: 1 }, 'theirs']);
  t.is(clusterOf(aborted, 'edge').failure?.code, 'conflict');
});

test('an update that the agent itself has undone needs nothing more', (t) => {
  for (const undo of ['rollback_release', 'uninstall_release']) {
    const cluster = new FakeCluster(undo === 'rollback_release' ? ['old'] : []);
    const fleet = new Map([['edge', cluster]]);
    cluster.outcome = 'not_ready';
    const paused = settled(rolloutOf(fleet, { onFailure: 'pause' }), fleet);
    cluster.perform('undone', undo, { version: 1 });
    const { length } = cluster.revisions;
    t.deepEqual(stagesOf(undone(paused, fleet)), { reverted: 1 });
    t.is(cluster.revisions.length, length);
  }
});

/** Takes the five turns of a cluster that is held, and returns the time of the next one. */
function heldFor(rollout: Rollout, fleet: Fleet): [Rollout, number] {
  let [held, now] = [rollout, 0];
  for (; now < 3_000_000; now += 600_000) held = settled(held, fleet, now);
  return [held, now];
}

test('the turns of a cluster that is held are no failures, so one that may pass fails nothing', (t) => {
  const fleet = fleetOf(4);
  const [first = new FakeCluster()] = fleet.values();
  first.outcome = 'denied_by_policy';
  let [rollout, now] = heldFor(rolloutOf(fleet, { waves: [{}], soak: '2h' }), fleet);
  for (const outcome of ['agent_restarted', 'busy', 'busy', 'busy', 'denied_by_policy', 'busy', 'busy'] as const) {
    t.deepEqual([rollout.status.phase, stagesOf(rollout).updated], ['running', 3]);
    first.outcome = outcome;
    now += 600_000;
    rollout = settled(rollout, fleet, now);
    t.is(clusterOf(rollout, 'edge-00000').stage, outcome === 'denied_by_policy' ? 'held' : 'away');
  }
  first.outcome = 'ok';
  t.deepEqual(stagesOf(settled(rollout, fleet, now + 10_000)), { updated: 4 });
});

test('a plan that the agent has not kept while it waited for its owner is made again', (t) => {
  const fleet = fleetOf(3);
  const [first = new FakeCluster()] = fleet.values();
  first.outcome = 'approval_required';
  const planned = settled(rolloutOf(fleet, { plan: true, waves: [{}], soak: '6h' }), fleet);
  const approved = apply(planned, approvePlans(planned, [...planned.groups.keys()], 'kim'));
  const [rollout, now] = heldFor(approved, fleet);
  first.plans.clear();
  first.outcome = 'ok';
  t.deepEqual(stagesOf(settled(rollout, fleet, now)), { updated: 3 });
});

test('a failure that may pass is tried again five times after a retry, too', (t) => {
  const fleet = fleetOf(1);
  const [cluster = new FakeCluster()] = fleet.values();
  cluster.outcome = 'busy';
  let rollout = rolloutOf(fleet, { onFailure: 'pause' });
  for (const start of [0, 100_000]) {
    for (let turn = 1; turn <= 5; turn++) {
      rollout = settled(rollout, fleet, start + turn * 10_000);
      t.deepEqual(stagesOf(rollout), { [turn === 5 ? 'failed' : 'away']: 1 });
    }
    rollout = apply(rollout, retryRollout(rollout, start));
  }
});

test('tests that cannot run do not deploy a release more than five times', (t) => {
  const fleet = fleetOf(1);
  const [cluster = new FakeCluster()] = fleet.values();
  const perform = cluster.perform.bind(cluster);
  cluster.perform = (key, type, payload) => {
    if (type !== 'test_release') return perform(key, type, payload);
    return { ok: false, error: { code: 'busy', message: 'too many commands' } };
  };
  let rollout = rolloutOf(fleet, { test: true, onFailure: 'pause' });
  for (let now = 0; now < 100_000; now += 10_000) rollout = settled(rollout, fleet, now);
  t.deepEqual([stagesOf(rollout), cluster.revisions.length], [{ failed: 1 }, 6]);
});
