import test from 'ava';
import { advance } from '../../../src/control-plane/rollouts/advance.ts';
import { abortRollout, approvePlans, retryRollout } from '../../../src/control-plane/rollouts/decisions.ts';
import { clusterOf, type Rollout } from '../../../src/control-plane/rollouts/rollout.ts';
import {
  activeOf,
  apply,
  FakeCluster,
  type Fleet,
  fleetOf,
  perform,
  rolloutOf,
  settled,
  stagesOf,
  step,
  worldOf,
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

/** Lets commands of a type fail, before or after the cluster has performed them. */
function failing(cluster: FakeCluster, type: string, code: string, count = Infinity, isPerformed = false): void {
  const perform = cluster.perform.bind(cluster);
  let left = count;
  cluster.perform = (key, asked, payload) => {
    if (asked !== type || left <= 0) return perform(key, asked, payload);
    left--;
    if (isPerformed) perform(key, asked, payload);
    return { ok: false, error: { code, message: 'lost' } };
  };
}

const returns: Record<string, [deployed: string[], type: string, isPerformed: boolean]> = {
  'a review': [['old'], 'release_history', false],
  'a rollback that was not begun': [['old'], 'rollback_release', false],
  'a rollback that was done': [['old'], 'rollback_release', true],
  'an uninstallation that was not begun': [[], 'uninstall_release', false],
  'an uninstallation that was done': [[], 'uninstall_release', true],
};
for (const [name, [deployed, type, isPerformed]] of Object.entries(returns)) {
  for (const outcome of ['ok', 'not_ready'] as const) {
    test(`the result of ${name} that is lost after an update with "${outcome}" is asked for again`, (t) => {
      const cluster = new FakeCluster(deployed);
      const fleet = new Map([['edge', cluster]]);
      cluster.outcome = outcome;
      let rollout = settled(rolloutOf(fleet, { onFailure: 'pause' }), fleet);
      failing(cluster, type, 'agent_restarted', 4, isPerformed);
      rollout = undone(rollout, fleet);
      for (let now = 10_000; now <= 40_000; now += 10_000) rollout = settled(rollout, fleet, now);
      t.deepEqual([rollout.status.phase, stagesOf(rollout)], ['aborted', { reverted: 1 }]);
      t.is(cluster.chart, deployed[0]);
      t.is(clusterOf(rollout, 'edge').failure?.code, outcome === 'ok' ? undefined : 'not_ready');
    });
  }
}

test('a cluster that is busy while it is returned is asked again after 10 s, five times at most', (t) => {
  const fleet = fleetOf(2);
  const [first = new FakeCluster()] = fleet.values();
  const updated = settled(rolloutOf(fleet, { waves: [{}] }), fleet);
  failing(first, 'rollback_release', 'busy', 5);
  let rollout = undone(updated, fleet);
  t.deepEqual([rollout.status.phase, stagesOf(rollout)], ['reverting', { failed: 1, reverted: 1 }]);
  t.is(advance(rollout, worldOf(fleet, 1)).wakeAt, 10_000);
  t.is(settled(rollout, fleet, 9999).clusters.get('edge-00000')?.attempt, clusterOf(rollout, 'edge-00000').attempt);
  for (let now = 10_000; now <= 40_000; now += 10_000) rollout = settled(rollout, fleet, now);
  t.deepEqual([rollout.status.phase, stagesOf(rollout)], ['aborted', { stuck: 1, reverted: 1 }]);
  t.is(clusterOf(rollout, 'edge-00000').failure?.code, 'busy');
  rollout = undone(rollout, fleet, 50_000);
  t.deepEqual([rollout.status.phase, stagesOf(rollout)], ['aborted', { reverted: 2 }]);
  t.is(first.chart, 'old');
  t.is(clusterOf(rollout, 'edge-00000').failure, undefined);
});

test('a rollback that has failed is done again by another undo, unless someone has deployed since', (t) => {
  for (const theirs of [undefined, 'deployed', 'failed']) {
    const fleet = fleetOf(1);
    const [cluster = new FakeCluster()] = fleet.values();
    const updated = settled(rolloutOf(fleet), fleet);
    const perform = cluster.perform.bind(cluster);
    cluster.perform = (key, type, payload) => {
      if (type !== 'rollback_release') return perform(key, type, payload);
      cluster.revisions.push({ chart: 'old', status: 'failed', description: 'Release "web" failed: timeout' });
      return { ok: false, error: { code: 'timeout', message: 'the release is not ready' } };
    };
    const stuck = undone(updated, fleet);
    t.deepEqual(stagesOf(stuck), { stuck: 1 });
    cluster.perform = perform;
    if (theirs !== undefined) cluster.revisions.push({ chart: 'theirs', status: theirs });
    const aborted = undone(stuck, fleet);
    t.deepEqual(stagesOf(aborted), theirs === undefined ? { reverted: 1 } : { stuck: 1 });
    t.is(cluster.chart, theirs === undefined ? 'old' : theirs === 'deployed' ? 'theirs' : 'new');
  }
});

test('a revision that another has made after an uninstallation failed is left by another undo', (t) => {
  const fleet = new Map([['edge', new FakeCluster([])]]);
  const [cluster = new FakeCluster()] = fleet.values();
  const updated = settled(rolloutOf(fleet), fleet);
  failing(cluster, 'uninstall_release', 'timeout', 1);
  const stuck = undone(updated, fleet);
  t.deepEqual(stagesOf(stuck), { stuck: 1 });
  cluster.revisions.push({ chart: 'theirs', status: 'failed' });
  t.deepEqual([stagesOf(undone(stuck, fleet)), cluster.revisions.length], [{ stuck: 1 }, 2]);
});

test('a revision that another has deployed after a rollback was refused is left by another undo', (t) => {
  const fleet = fleetOf(1);
  const [cluster = new FakeCluster()] = fleet.values();
  const updated = settled(rolloutOf(fleet), fleet);
  failing(cluster, 'rollback_release', 'denied_by_policy', 1);
  const stuck = undone(updated, fleet);
  cluster.perform('theirs', 'install_release', { chartName: 'theirs' });
  t.deepEqual([stagesOf(undone(stuck, fleet)), cluster.chart], [{ stuck: 1 }, 'theirs']);
});

test('another undo leaves a cluster that cannot be returned, and changes nothing more', (t) => {
  const fleet = new Map([['edge', new FakeCluster([])]]);
  const [cluster = new FakeCluster()] = fleet.values();
  cluster.revisions.push({ chart: 'old', status: 'failed' });
  const stuck = undone(settled(rolloutOf(fleet), fleet), fleet);
  t.is(clusterOf(stuck, 'edge').failure?.code, 'no_deployed_release');
  t.deepEqual(abortRollout(stuck, 1, 'kim', true), { clusters: new Map() });
});

test('a rollout that is tried again updates a cluster whose return was interrupted', (t) => {
  const fleet = fleetOf(2);
  const [first = new FakeCluster(), second = new FakeCluster()] = fleet.values();
  second.outcome = 'not_ready';
  failing(first, 'rollback_release', 'agent_restarted', 1, true);
  let rollout = rolloutOf(fleet, { waves: [{}] });
  for (let turn = 0; clusterOf(rollout, 'edge-00000').stage !== 'failed' && turn < 20; turn++) {
    rollout = step(rollout, fleet, 0);
    for (const agentId of activeOf(rollout)) rollout = perform(rollout, fleet, agentId, 0);
  }
  first.presence = 'away';
  rollout = settled(rollout, fleet);
  t.deepEqual([rollout.status.phase, clusterOf(rollout, 'edge-00000').stage], ['failed', 'failed']);
  for (const cluster of fleet.values()) cluster.outcome = 'ok';
  first.presence = 'connected';
  rollout = settled(apply(rollout, retryRollout(rollout, 1)), fleet, 1);
  t.deepEqual([stagesOf(rollout), first.chart], [{ updated: 2 }, 'new']);
});

/** Uninstalls a release as with `--keep-history`, which marks only the newest revision. */
function uninstallKeepingHistory({ revisions }: FakeCluster): void {
  for (const revision of revisions) revision.status = revision === revisions.at(-1) ? 'uninstalled' : 'superseded';
}

test('a release that another has uninstalled, with its history kept, is not deployed again by an undo', (t) => {
  for (const deployed of [['older', 'old'], ['old'], []]) {
    const cluster = new FakeCluster(deployed);
    const fleet = new Map([['edge', cluster]]);
    const updated = settled(rolloutOf(fleet), fleet);
    uninstallKeepingHistory(cluster);
    const aborted = undone(updated, fleet);
    t.deepEqual([stagesOf(aborted), cluster.chart], [{ [deployed.length === 0 ? 'reverted' : 'stuck']: 1 }, undefined]);
    t.is(clusterOf(aborted, 'edge').failure?.code, deployed.length === 0 ? undefined : 'release_not_found');
    t.is(cluster.revisions.length, deployed.length + 1);
  }
});

test('a release that was uninstalled, with its history kept, before a rollout is uninstalled by its undo', (t) => {
  for (const deployed of [['older', 'old'], ['old']]) {
    for (const outcome of ['ok', 'not_ready'] as const) {
      const cluster = new FakeCluster(deployed);
      uninstallKeepingHistory(cluster);
      cluster.outcome = outcome;
      const fleet = new Map([['edge', cluster]]);
      const updated = settled(rolloutOf(fleet, { type: 'install_release', onFailure: 'pause' }), fleet);
      t.deepEqual([stagesOf(undone(updated, fleet)), cluster.revisions], [{ reverted: 1 }, []]);
    }
  }
});

test('a release whose newest revision is uninstalled is gone, also if an older one still says deployed', (t) => {
  const cluster = new FakeCluster();
  const fleet = new Map([['edge', cluster]]);
  cluster.outcome = 'not_ready';
  const paused = settled(rolloutOf(fleet, { onFailure: 'pause' }), fleet);
  t.deepEqual(stagesOf(paused), { failed: 1 });
  for (const revision of cluster.revisions.slice(1)) revision.status = 'uninstalled';
  const aborted = undone(paused, fleet);
  t.deepEqual([stagesOf(aborted), clusterOf(aborted, 'edge').failure?.code], [{ stuck: 1 }, 'release_not_found']);
});
