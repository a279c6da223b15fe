import test from 'ava';
import { advance } from '../../../src/control-plane/rollouts/advance.ts';
import {
  abortRollout,
  approveWave,
  pauseRollout,
  resumeRollout,
  retryRollout,
  settleCheck,
} from '../../../src/control-plane/rollouts/decisions.ts';
import { clusterOf, type Rollout } from '../../../src/control-plane/rollouts/rollout.ts';
import fc from '../../support/fast-check.ts';
import { randomOf } from '../../support/random.ts';
import {
  activeOf,
  apply,
  FakeCluster,
  fleetOf,
  perform,
  rolloutOf,
  settled,
  stagesOf,
  step,
  worldOf,
} from './support/fleet.ts';

test('by default, one cluster is updated first, then a tenth, then the rest', (t) => {
  const rollout = rolloutOf(fleetOf(30));
  t.deepEqual(
    rollout.plan.waves.map((agents) => agents.length),
    [1, 3, 26],
  );
});

test('a rollout without failures updates all clusters', (t) => {
  const fleet = fleetOf(30);
  const rollout = settled(rolloutOf(fleet), fleet);
  t.is(rollout.status.phase, 'succeeded');
  t.deepEqual(stagesOf(rollout), { updated: 30 });
  t.true([...fleet.values()].every(({ chart }) => chart === 'new'));
});

test('a canary that fails stops the rollout, and the failure is undone', (t) => {
  const fleet = fleetOf(30);
  for (const cluster of fleet.values()) cluster.outcome = 'test fails';
  const rollout = settled(rolloutOf(fleet, { test: true }), fleet);
  t.is(rollout.status.phase, 'failed');
  t.is(rollout.status.reason, 'too many clusters of wave 1 have failed');
  t.deepEqual(stagesOf(rollout), { reverted: 1, pending: 29 });
  t.is(clusterOf(rollout, 'edge-00000').failure?.code, 'hook_failed', 'the reason is kept');
  t.deepEqual(new Set(Array.from(fleet.values(), ({ chart }) => chart)), new Set(['old']));
  t.is([...fleet.values()].filter(({ revisions }) => revisions.length > 1).length, 1);
});

test('a Job that fails after the update of a canary stops the rollout, and the update is undone', (t) => {
  const fleet = fleetOf(3);
  const good = settled(rolloutOf(fleet, { test: true, job: 'smoke' }), fleet);
  t.deepEqual(stagesOf(good), { updated: 3 });
  t.true([...fleet.values()].every(({ jobs }) => jobs.join() === 'smoke'));
  const others = fleetOf(3);
  for (const cluster of others.values()) cluster.outcome = 'job fails';
  const bad = settled(rolloutOf(others, { job: 'smoke' }), others);
  t.is(bad.status.phase, 'failed');
  t.deepEqual(stagesOf(bad), { reverted: 1, pending: 2 });
  t.true([...others.values()].every(({ chart }) => chart === 'old'));
});

test('a failed wave returns its clusters to their own last good revisions, and leaves other waves', (t) => {
  const fleet = fleetOf(4);
  const [first, second, third, fourth] = [...fleet.values()];
  second?.revisions.push({ chart: 'middle', status: 'deployed' });
  second?.revisions.splice(0, 1, { chart: 'old', status: 'superseded' });
  third?.revisions.splice(0);
  if (fourth) fourth.outcome = 'not_ready';
  const rollout = settled(rolloutOf(fleet, { waves: [{ size: 1 }, {}] }), fleet);
  t.is(rollout.status.phase, 'failed');
  t.deepEqual(
    [first, second, third, fourth].map((cluster) => cluster?.chart),
    ['new', 'middle', undefined, 'old'],
  );
  t.deepEqual(stagesOf(rollout), { updated: 1, reverted: 3 });
  t.deepEqual(
    fourth?.revisions.map(({ status }) => status),
    ['deployed', 'failed'],
    'its last good revision is deployed',
  );
});

type Attempts = [deployed: string[], outcomes: FakeCluster['outcome'][], after: string | undefined];
const attempts: Record<string, Attempts> = {
  'an update whose tests fail': [['old'], ['test fails', 'test fails'], 'old'],
  'an installation whose tests fail': [[], ['test fails', 'test fails'], undefined],
  'an update whose result is lost': [['old'], ['agent_restarted', 'agent_restarted', 'test fails'], 'old'],
  'an installation whose result is lost': [[], ['agent_restarted', 'ok'], undefined],
  'an update that fails the second time': [['old'], ['test fails', 'not_ready', 'not_ready'], 'old'],
  'an update that is refused the second time': [['old'], ['test fails', 'denied_by_policy', 'ok'], 'old'],
};
for (const [name, [deployed, outcomes, after]] of Object.entries(attempts)) {
  test(`${name} is undone after a retry to what was deployed before the rollout`, (t) => {
    const cluster = new FakeCluster(deployed);
    t.is(undoneAfter(cluster, outcomes), after);
  });
}

for (const outcome of ['test fails', 'not_ready', 'busy', 'denied_by_policy'] as const) {
  test(`a revision that another has deployed after an attempt with ${outcome} is the last good one`, (t) => {
    const cluster = new FakeCluster();
    t.is(undoneAfter(cluster, [outcome, 'theirs', 'test fails']), 'theirs');
  });
}

/** Returns the chart that is left when attempts are undone, between which another deploys, too. */
function undoneAfter(cluster: FakeCluster, outcomes: readonly (FakeCluster['outcome'] | 'theirs')[]) {
  const fleet = new Map([['edge', cluster]]);
  let rollout = rolloutOf(fleet, { test: true, onFailure: 'pause' });
  for (const [index, outcome] of outcomes.entries()) {
    const now = index * 600_000;
    cluster.outcome = outcome === 'theirs' ? 'ok' : outcome;
    if (outcome === 'theirs') cluster.perform('theirs', 'install_release', { chartName: 'theirs' });
    else rollout = settled(apply(rollout, retryRollout(rollout, now)), fleet, now);
  }
  settled(apply(rollout, abortRollout(rollout, 0, 'kim', true)), fleet);
  return cluster.chart;
}

test('an update whose tests fail is undone before the turn of its retry', (t) => {
  const cluster = new FakeCluster();
  const fleet = new Map([['edge', cluster]]);
  cluster.outcome = 'test fails';
  const failed = settled(rolloutOf(fleet, { test: true, onFailure: 'pause' }), fleet);
  t.is(cluster.chart, 'new');
  const retried = apply(failed, retryRollout(failed, 1));
  const aborted = settled(apply(retried, abortRollout(retried, 1, 'kim', true)), fleet);
  t.deepEqual(stagesOf(aborted), { reverted: 1 });
  t.is(cluster.chart, 'old');
});

test('a revision that another has deployed since is left as it is', (t) => {
  const fleet = fleetOf(1);
  const rollout = settled(rolloutOf(fleet), fleet);
  const [cluster] = [...fleet.values()];
  cluster?.perform('other', 'install_release', { chartName: 'newest' });
  const aborted = settled(apply(rollout, abortRollout(rollout, 1, 'kim', true)), fleet);
  t.is(aborted.status.phase, 'aborted');
  t.is(cluster?.chart, 'newest');
  t.is(clusterOf(aborted, 'edge-00000').failure?.message, 'revision 3 was deployed since, and is left as it is');
});

test('clusters that are away do not block a wave, are counted apart, and catch up', (t) => {
  const fleet = fleetOf(10);
  const away = [...fleet.values()].slice(0, 4);
  for (const cluster of away) cluster.presence = 'away';
  const rollout = settled(rolloutOf(fleet), fleet);
  t.is(rollout.status.phase, 'succeeded');
  t.deepEqual(stagesOf(rollout), { updated: 6, away: 4 });
  for (const cluster of away) cluster.presence = 'connected';
  t.deepEqual(stagesOf(settled(rollout, fleet)), { updated: 10 });
});

test('a cluster whose agent is gone in the middle does not block the wave, and counts when it is back', (t) => {
  const fleet = fleetOf(3);
  const [first] = [...fleet.values()];
  let rollout = step(rolloutOf(fleet, { waves: [{}] }), fleet, 0);
  if (first) first.presence = 'absent';
  rollout = settled(rollout, fleet);
  t.deepEqual(stagesOf(rollout), { inspecting: 1, updated: 2 });
  t.is(rollout.status.phase, 'running', 'it may be back in a moment');
  if (first) first.presence = 'away';
  rollout = settled(rollout, fleet);
  t.is(rollout.status.phase, 'succeeded');
  if (first) first.presence = 'connected';
  t.deepEqual(stagesOf(settled(rollout, fleet)), { updated: 3 });
});

test('a wave that has updated no cluster lets the next one begin only by hand', (t) => {
  const fleet = fleetOf(3);
  for (const cluster of fleet.values()) cluster.presence = 'away';
  const paused = settled(rolloutOf(fleet, { waves: [{ size: 1 }, {}] }), fleet);
  t.is(paused.status.phase, 'paused');
  t.regex(paused.status.reason ?? '', /^no cluster of wave 1 was updated/);
  const last = [...fleet.values()].at(-1);
  if (last) last.presence = 'connected';
  const approved = settled(apply(paused, approveWave(paused, 1, 0)), fleet);
  t.deepEqual([approved.status.phase, stagesOf(approved)], ['succeeded', { away: 2, updated: 1 }]);
});

test('a cluster whose owner does not allow the update is no failure, and gets its turn again', (t) => {
  const fleet = fleetOf(3);
  const [, second] = [...fleet.values()];
  if (second) second.outcome = 'denied_by_policy';
  const rollout = settled(rolloutOf(fleet, { waves: [{}] }), fleet);
  t.deepEqual([rollout.status.phase, stagesOf(rollout)], ['succeeded', { updated: 2, held: 1 }]);
  if (second) second.outcome = 'ok';
  t.deepEqual(stagesOf(settled(rollout, fleet, 599_999)), { updated: 2, held: 1 });
  t.deepEqual(stagesOf(settled(rollout, fleet, 600_000)), { updated: 3 });
});

test('a failure that may pass is tried again, five times at most', (t) => {
  const fleet = fleetOf(1);
  for (const cluster of fleet.values()) cluster.outcome = 'busy';
  let rollout = rolloutOf(fleet);
  for (let turn = 0; turn < 5; turn++) {
    t.is(rollout.status.phase, 'running');
    rollout = settled(rollout, fleet, turn * 10_000);
  }
  t.is(rollout.status.phase, 'failed');
});

test('the next wave begins after the soak time', (t) => {
  const fleet = fleetOf(2);
  const rollout = settled(rolloutOf(fleet, { soak: '5m', waves: [{ size: 1 }, {}] }), fleet);
  t.deepEqual(stagesOf(rollout), { updated: 1, pending: 1 });
  t.is(advance(rollout, worldOf(fleet, 1000)).wakeAt, 300_000);
  t.deepEqual(stagesOf(settled(rollout, fleet, 299_999)), { updated: 1, pending: 1 });
  t.deepEqual(stagesOf(settled(rollout, fleet, 300_000)), { updated: 2 });
  t.deepEqual(stagesOf(settled(apply(rollout, approveWave(rollout, 1, 1)), fleet, 1)), { updated: 2 }, 'by hand');
});

test('a wave waits for its approval, which approves no other one', (t) => {
  const fleet = fleetOf(3);
  const start = rolloutOf(fleet, { approval: true, waves: [{ size: 1 }, { size: 1 }, {}] });
  const first = settled(start, fleet);
  t.deepEqual(stagesOf(first), { updated: 1, pending: 2 });
  const again = (rollout: Rollout) => settled(apply(rollout, approveWave(rollout, 1, 0)), fleet);
  const second = again(first);
  t.deepEqual(stagesOf(second), { updated: 2, pending: 1 });
  t.deepEqual(stagesOf(again(second)), { updated: 2, pending: 1 });
  t.throws(() => approveWave(first, 2, 0), { code: 'bad_request' });
  t.throws(() => approveWave(first, 3, 0), { code: 'bad_request' });
});

test('a wave with a check lets the next one begin when the check says yes, or by hand', (t) => {
  const fleet = fleetOf(3);
  const asked = settled(rolloutOf(fleet, { check: 'hook', waves: [{ size: 1 }, { size: 1 }, {}] }), fleet);
  t.deepEqual([asked.status.waveStage, stagesOf(asked)], ['checking', { updated: 1, pending: 2 }]);
  const second = settled(apply(asked, settleCheck(asked, true)), fleet);
  t.deepEqual(
    [second.status.wave, second.status.waveStage, stagesOf(second)],
    [1, 'checking', { updated: 2, pending: 1 }],
  );
  const byHand = settled(apply(second, approveWave(second, 2, 0)), fleet);
  t.deepEqual([byHand.status.phase, stagesOf(byHand)], ['succeeded', { updated: 3 }]);
});

test('a check that says no, or nothing in time, is a failure of its wave', (t) => {
  for (const onFailure of ['revert', 'pause'] as const) {
    const fleet = fleetOf(3);
    const options = { check: 'hook', onFailure, progressDeadline: '1m', waves: [{ size: 1 }, {}] };
    const asked = settled(rolloutOf(fleet, options), fleet);
    t.is(advance(asked, worldOf(fleet, 1)).wakeAt, 60_000);
    const ended = [settled(apply(asked, settleCheck(asked, false)), fleet), settled(asked, fleet, 60_000)];
    const reasons = ended.map(({ status }) => status.reason);
    t.deepEqual(reasons, ['the check of wave 1 says no', 'the check of wave 1 has not said yes in time']);
    for (const rollout of ended) {
      const isPaused = onFailure === 'pause';
      t.is(rollout.status.phase, isPaused ? 'paused' : 'failed');
      t.deepEqual(stagesOf(rollout), { [isPaused ? 'updated' : 'reverted']: 1, pending: 2 });
    }
  }
});

test('as many failures as allowed stop nothing, and one more does', (t) => {
  const run = (failing: number, options: object) => {
    const fleet = fleetOf(20);
    for (const cluster of [...fleet.values()].slice(0, failing)) cluster.outcome = 'not_ready';
    return settled(rolloutOf(fleet, { waves: [{}], ...options }), fleet).status.phase;
  };
  t.is(run(3, { maxFailures: 3 }), 'succeeded');
  t.is(run(4, { maxFailures: 3 }), 'failed');
  t.is(run(3, { maxFailures: '15%' }), 'succeeded');
  t.is(run(4, { maxFailures: '15%' }), 'failed');
  t.is(run(3, { maxFailures: '100%', maxTotalFailures: 2 }), 'failed');
});

test('a rollout that pauses when clusters fail continues in spite of them when it is resumed', (t) => {
  const fleet = fleetOf(5);
  const [first] = [...fleet.values()];
  if (first) first.outcome = 'not_ready';
  const paused = settled(rolloutOf(fleet, { onFailure: 'pause', waves: [{ size: 2 }, {}] }), fleet);
  t.deepEqual([paused.status.phase, stagesOf(paused)], ['paused', { failed: 1, updated: 1, pending: 3 }]);
  const resumed = settled(apply(paused, resumeRollout(paused, 0)), fleet);
  t.deepEqual([resumed.status.phase, stagesOf(resumed)], ['succeeded', { failed: 1, updated: 4 }]);
  if (first) first.outcome = 'ok';
  const retried = settled(apply(resumed, retryRollout(resumed, 0)), fleet);
  t.deepEqual([retried.status.phase, stagesOf(retried)], ['succeeded', { updated: 5 }]);
});

test('a rollout that has failed can be tried again from its failed wave', (t) => {
  const fleet = fleetOf(5);
  const [first] = [...fleet.values()];
  if (first) first.outcome = 'not_ready';
  const failed = settled(rolloutOf(fleet), fleet);
  t.is(failed.status.phase, 'failed');
  if (first) first.outcome = 'ok';
  const retried = settled(apply(failed, retryRollout(failed, 0)), fleet);
  t.deepEqual([retried.status.phase, stagesOf(retried)], ['succeeded', { updated: 5 }]);
});

test('a rollout that is paused or aborted begins no cluster', (t) => {
  const fleet = fleetOf(5);
  const started = step(rolloutOf(fleet, { waves: [{}], concurrency: 2 }), fleet, 0);
  const paused = settled(apply(started, pauseRollout(started, 'kim')), fleet);
  t.deepEqual([paused.status.reason, stagesOf(paused)], ['paused by kim', { pending: 5 }]);
  const aborted = settled(apply(started, abortRollout(started, 0, 'kim', false)), fleet);
  t.deepEqual([aborted.status.phase, stagesOf(aborted)], ['aborted', { pending: 5 }]);
  t.throws(() => resumeRollout(aborted, 0), { code: 'rollout_conflict' });
  t.throws(() => retryRollout(aborted, 0), { code: 'rollout_conflict' });
  const resumed = settled(apply(paused, resumeRollout(paused, 0)), fleet);
  t.deepEqual(stagesOf(resumed), { updated: 5 });
});

test('a cluster gets its turn in its own window', (t) => {
  const fleet = fleetOf(2);
  const [first] = [...fleet.values()];
  if (first) first.labels = { site: 'a' };
  const windows = [{ labels: 'site=a', from: '02:00', to: '04:00' }];
  const rollout = settled(rolloutOf(fleet, { waves: [{}], windows }), fleet);
  t.deepEqual(stagesOf(rollout), { pending: 1, updated: 1 });
  t.is(advance(rollout, worldOf(fleet, 1)).wakeAt, 60_000);
  t.deepEqual(stagesOf(settled(rollout, fleet, 7_199_999)), { pending: 1, updated: 1 });
  t.deepEqual(stagesOf(settled(rollout, fleet, 7_200_000)), { updated: 2 });
});

test('a connected cluster that does not end in time has failed', (t) => {
  const fleet = fleetOf(1);
  const started = step(rolloutOf(fleet, { progressDeadline: '1m' }), fleet, 0);
  t.is(advance(started, worldOf(fleet, 1)).wakeAt, 60_000);
  const ended = settled(started, new Map([...fleet].map(([id]) => [id, new FakeCluster()])), 60_000);
  t.is(ended.status.phase, 'failed');
  t.is(clusterOf(ended, 'edge-00000').failure?.code, 'timeout');
});

test('an agent that is back after the deadline has time to send its result', (t) => {
  const fleet = fleetOf(2);
  const [first] = [...fleet.values()];
  let rollout = step(rolloutOf(fleet, { waves: [{}] }), fleet, 0);
  if (first) first.presence = 'away';
  rollout = step(settled(rollout, fleet), fleet, 7_200_000);
  if (first) first.presence = 'connected';
  if (first) first.connectedSince = 7_200_000;
  rollout = step(rollout, fleet, 7_200_000);
  t.deepEqual(stagesOf(rollout), { inspecting: 1, updated: 1 });
  t.is(advance(rollout, worldOf(fleet, 7_200_000)).wakeAt, 7_800_000);
  t.deepEqual(stagesOf(settled(rollout, fleet, 7_799_999)), { updated: 2 });
  t.deepEqual(stagesOf(step(rollout, fleet, 7_800_000)), { failed: 1, updated: 1 }, 'but not for ever');
});

test('a control plane that starts after the deadline asks the check again', (t) => {
  const fleet = fleetOf(2);
  const asked = settled(rolloutOf(fleet, { check: 'hook', waves: [{ size: 1 }, {}] }), fleet);
  const restarted = { ...worldOf(fleet, 7_200_000), runsSince: 7_200_000 };
  const { status, wakeAt } = advance(asked, restarted);
  t.deepEqual([status, wakeAt], [undefined, 7_800_000]);
});

test('whatever happens, no more clusters are busy than allowed, and no wave overtakes a failed one', (t) => {
  const outcomes = ['ok', 'ok', 'ok', 'not_ready', 'denied_by_policy', 'busy', 'test fails'] as const;
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 3 }),
      (seed, size, concurrency, maxFailures) => {
        const random = randomOf(seed);
        const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item; // not empty
        const fleet = fleetOf(size);
        for (const cluster of fleet.values()) cluster.outcome = pick(outcomes);
        let rollout = rolloutOf(fleet, {
          concurrency,
          maxFailures,
          test: true,
          waves: [{ size: 1 }, { size: '30%' }, {}],
        });
        for (let now = 0; now < 300_000; now += 1000) {
          if (now < 100_000 && random() < 0.2)
            pick([...fleet.values()]).presence = pick(['connected', 'absent', 'away']);
          if (now === 100_000) for (const cluster of fleet.values()) cluster.presence = 'connected';
          const before = rollout;
          rollout = step(rollout, fleet, now);
          const begun = activeOf(rollout).filter((id) => !activeOf(before).includes(id));
          const present = activeOf(rollout).filter((id) => fleet.get(id)?.presence !== 'away');
          t.true(begun.length === 0 || present.length <= concurrency);
          for (const agentId of begun) {
            const wave = rollout.plan.waves.findIndex((agents) => agents.includes(agentId));
            if (clusterOf(rollout, agentId).stage === 'inspecting') t.true(wave <= rollout.status.wave);
            else t.true(rollout.status.revertFrom !== undefined && wave >= rollout.status.revertFrom);
          }
          for (const agentId of activeOf(rollout)) {
            if (fleet.get(agentId)?.presence === 'connected' && random() < 0.7)
              rollout = perform(rollout, fleet, agentId, now);
          }
        }
        const { phase, revertFrom = Infinity } = rollout.status;
        t.true(phase === 'succeeded' || phase === 'failed' || phase === 'paused', phase);
        t.deepEqual(activeOf(rollout), []);
        for (const [wave, agents] of rollout.plan.waves.entries()) {
          for (const agentId of agents) {
            const { stage } = clusterOf(rollout, agentId);
            const chart = fleet.get(agentId)?.chart;
            if (stage === 'updated') t.is(chart, 'new');
            if (wave >= revertFrom) t.is(chart, 'old', stage);
            if (phase === 'succeeded') t.not(stage, 'pending');
          }
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('a transition over 10,000 clusters takes milliseconds', (t) => {
  const fleet = fleetOf(10_000);
  const updated = { stage: 'updated', attempt: 1, since: 0 } as const;
  const done = [...fleet.keys()].slice(0, 5000).map((agentId) => [agentId, updated] as const);
  const rollout = { ...rolloutOf(fleet, { concurrency: 1000, waves: [{}] }), clusters: new Map(done) };
  const times = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage();
    step(rollout, fleet, 0);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  t.true(Math.min(...times) < 50, `${Math.min(...times)} ms`);
});
