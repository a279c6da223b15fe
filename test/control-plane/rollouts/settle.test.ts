import test from 'ava';
import { abortRollout } from '../../../src/control-plane/rollouts/decisions.ts';
import { clusterOf, type Rollout } from '../../../src/control-plane/rollouts/rollout.ts';
import { apply, FakeCluster, type Fleet, perform, rolloutOf, settled, stagesOf, step } from './support/fleet.ts';

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
