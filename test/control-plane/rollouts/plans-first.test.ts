import test from 'ava';
import { awaitsApproval } from '../../../src/control-plane/rollouts/advance.ts';
import { addPlan } from '../../../src/control-plane/rollouts/cluster-plan.ts';
import {
  approvePlans,
  approveWave,
  resumeRollout,
  retryRollout,
} from '../../../src/control-plane/rollouts/decisions.ts';
import { clusterOf, type Rollout } from '../../../src/control-plane/rollouts/rollout.ts';
import { planGroupViews, rolloutView } from '../../../src/control-plane/rollouts/rollout-view.ts';
import type { CommandResult } from '../../../src/protocol/messages.ts';
import { apply, type Fleet, fleetOf, rolloutOf, settled, stagesOf } from './support/fleet.ts';

const options = { plan: true, waves: [{ size: 1 }, {}] };

function planned(fleet: Fleet): Rollout {
  return settled(rolloutOf(fleet, options), fleet);
}

function approveAll(rollout: Rollout): Rollout {
  return apply(rollout, approvePlans(rollout, [...rollout.groups.keys()], 'kim'));
}

test('all clusters make plans first, and none is changed before those are approved', (t) => {
  const fleet = fleetOf(5);
  const [first] = [...fleet.values()];
  if (first) first.differing = 'other';
  const rollout = planned(fleet);
  t.deepEqual(stagesOf(rollout), { planned: 5 });
  t.true(awaitsApproval(rollout));
  t.true([...fleet.values()].every(({ chart }) => chart === 'old'));
  t.deepEqual(
    planGroupViews(rollout).map(({ clusters, counts }) => [clusters, counts]),
    [
      [4, { changed: 1 }],
      [1, { changed: 1 }],
    ],
  );
  t.like(rolloutView(rollout), { awaitsApproval: true, groupCount: 2, waveStage: 'updating', wave: 1 });
});

test('one approval is for all clusters whose plans change the same, and exactly those plans are applied', (t) => {
  const fleet = fleetOf(5);
  const last = [...fleet.values()].at(-1);
  if (last) last.differing = 'other';
  let rollout = planned(fleet);
  const plans = new Set([...fleet.values()].flatMap((cluster) => [...cluster.plans.keys()]));
  const [same, other] = planGroupViews(rollout).map(({ id }) => id);
  rollout = settled(apply(rollout, approvePlans(rollout, [same ?? ''], 'kim')), fleet);
  t.deepEqual(stagesOf(rollout), { updated: 4, planned: 1 }, 'the other group waits');
  t.is(last?.chart, 'old');
  t.true(awaitsApproval(rollout));
  rollout = settled(apply(rollout, approvePlans(rollout, [other ?? ''], 'kim')), fleet);
  t.deepEqual(stagesOf(rollout), { updated: 5 });
  t.is(rollout.status.phase, 'succeeded');
  const applied = [...rollout.clusters.values()].map(({ plan }) => plan?.id ?? '');
  t.deepEqual(new Set(applied), plans);
});

test('a plan that is out of date changes nothing, is said to be stale, and is made again by a retry', (t) => {
  const fleet = fleetOf(4);
  const second = fleet.get('edge-00001');
  let rollout = planned(fleet);
  if (second) second.outcome = 'plan_stale';
  rollout = settled(approveAll(rollout), fleet);
  t.deepEqual(stagesOf(rollout), { updated: 3, stale: 1 });
  t.is(rollout.status.phase, 'succeeded', 'the others do not wait for it');
  t.is(clusterOf(rollout, 'edge-00001').failure?.code, 'plan_stale');
  if (second) second.outcome = 'ok';
  if (second) second.differing = 'since then';
  rollout = settled(apply(rollout, retryRollout(rollout, 0)), fleet);
  t.deepEqual(stagesOf(rollout), { updated: 3, planned: 1 }, 'another plan has to be approved, too');
  t.deepEqual(stagesOf(settled(approveAll(rollout), fleet)), { updated: 4 });
});

test('a retry of a stale cluster whose new plan changes the same needs no other approval', (t) => {
  const fleet = fleetOf(2);
  const second = fleet.get('edge-00001');
  let rollout = planned(fleet);
  if (second) second.outcome = 'plan_stale';
  rollout = settled(approveAll(rollout), fleet);
  if (second) second.outcome = 'ok';
  t.deepEqual(stagesOf(settled(apply(rollout, retryRollout(rollout, 0)), fleet)), { updated: 2 });
});

test('a plan that has expired, or that the agent has not kept, is made again', (t) => {
  const fleet = fleetOf(3);
  const [first, second] = [...fleet.values()];
  if (first) first.planExpiry = 1_000_000;
  let rollout = planned(fleet);
  if (first) first.planExpiry = Date.UTC(2100, 0);
  second?.plans.clear();
  rollout = settled(approveAll(rollout), fleet, 5_000_000);
  t.deepEqual(stagesOf(rollout), { updated: 3 });
});

test('a plan that has expired by the clock of the agent when it arrives is not made again at once', (t) => {
  const fleet = fleetOf(1);
  const [first] = [...fleet.values()];
  if (first) first.planExpiry = -3_600_000;
  const rollout = planned(fleet);
  t.deepEqual(stagesOf(rollout), { planned: 1 });
  t.is(first?.plans.size, 1);
  settled(rollout, fleet, 599_999);
  t.is(first?.plans.size, 1);
  settled(rollout, fleet, 600_000);
  t.is(first?.plans.size, 2);
  t.deepEqual(stagesOf(settled(approveAll(rollout), fleet)), { updated: 1 });
});

test('an agent that never keeps a plan fails in the end', (t) => {
  const fleet = fleetOf(1);
  const [cluster] = [...fleet.values()];
  if (cluster) cluster.plans.set = () => cluster.plans;
  const rollout = settled(approveAll(planned(fleet)), fleet);
  t.is(clusterOf(rollout, 'edge-00000').failure?.code, 'plan_not_found');
  t.is(rollout.status.phase, 'failed');
});

test('a cluster that cannot make a plan stops the rollout before anything is changed', (t) => {
  const fleet = fleetOf(3);
  const [first] = [...fleet.values()];
  if (first) first.perform = () => ({ ok: false, error: { code: 'render_failed', message: 'no value' } });
  let rollout = planned(fleet);
  t.is(rollout.status.phase, 'paused');
  t.is(rollout.status.reason, '1 cluster has not made a plan; retry, or resume without them');
  t.deepEqual(stagesOf(rollout), { failed: 1, planned: 2 });
  rollout = settled(apply(rollout, resumeRollout(rollout, 0)), fleet);
  t.deepEqual(stagesOf(settled(approveAll(rollout), fleet)), { failed: 1, planned: 2 });
});

test('a retry does not begin a wave that waits for its approval', (t) => {
  const fleet = fleetOf(2);
  const second = fleet.get('edge-00001');
  const perform = second?.perform.bind(second);
  if (second) second.perform = () => ({ ok: false, error: { code: 'render_failed', message: 'no value' } });
  const waves = [{ size: 1, approval: true }, {}];
  let rollout = approveAll(settled(rolloutOf(fleet, { plan: true, waves, maxTotalFailures: 1 }), fleet));
  t.deepEqual(stagesOf(rollout), { planned: 1, failed: 1 });
  if (second && perform) second.perform = perform;
  rollout = settled(apply(rollout, retryRollout(rollout, 0)), fleet);
  t.true(awaitsApproval(rollout));
  t.deepEqual(stagesOf(rollout), { planned: 2 });
  rollout = settled(apply(rollout, approveWave(rollout, 0, 0)), fleet);
  t.deepEqual(stagesOf(rollout), { updated: 2 });
});

test('clusters that are away do not hold up the plans, and make theirs when they are back', (t) => {
  const fleet = fleetOf(4);
  const away = [...fleet.values()].slice(2);
  for (const cluster of away) cluster.presence = 'away';
  let rollout = settled(approveAll(planned(fleet)), fleet);
  t.deepEqual(stagesOf(rollout), { updated: 2, away: 2 });
  const [same, other] = away;
  if (other) other.differing = 'more';
  if (same) same.presence = 'connected';
  if (other) other.presence = 'connected';
  rollout = settled(rollout, fleet, 60_000);
  t.deepEqual(stagesOf(rollout), { updated: 3, planned: 1 }, 'an equal plan is approved already');
  t.deepEqual(stagesOf(settled(approveAll(rollout), fleet, 60_000)), { updated: 4 });
});

test('a cluster whose owner wants signatures is held with its plan, and others continue', (t) => {
  const fleet = fleetOf(3);
  const third = fleet.get('edge-00002');
  if (third) third.outcome = 'approval_required';
  let rollout = settled(approveAll(planned(fleet)), fleet);
  t.deepEqual(stagesOf(rollout), { updated: 2, held: 1 });
  const plan = clusterOf(rollout, 'edge-00002').plan?.id;
  if (third) third.outcome = 'ok';
  rollout = settled(rollout, fleet, 600_000);
  t.deepEqual(stagesOf(rollout), { updated: 3 });
  t.is(clusterOf(rollout, 'edge-00002').plan?.id, plan, 'the plan that was signed');
});

test('plans of agents that say anything are refused, and take bounded room', (t) => {
  const fleet = fleetOf(2);
  const start = rolloutOf(fleet, options);
  const cluster = { stage: 'planning', attempt: 1, since: 0 } as const;
  const digest = 'a'.repeat(64);
  const good = {
    ...{ ok: true, plan: `default/web@${digest}`, digest, expires: '2100-01-01T00:00:00.000Z', action: 'upgrade' },
    ...{ crds: [], hooks: [], differences: [], unchanged: 0 },
  };
  const answer = (fields: object) => ({ ...good, ...fields }) as unknown as CommandResult; // agents may say anything
  const stageOf = (fields: object) =>
    addPlan(start, 'edge-00000', cluster, answer(fields)).clusters.get('edge-00000')?.stage;
  t.is(stageOf({}), 'planned');
  const wrong = [
    { plan: `default/other@${digest}` },
    { digest: 'short' },
    { digest: { toString: 'x' } },
    { expires: 'never' },
    { differences: 'none' },
    { differences: [null] },
    { action: 'x'.repeat(2000) },
    { plan: undefined },
  ];
  for (const fields of wrong) t.is(stageOf(fields), 'failed', JSON.stringify(fields));
  const deep = { differences: [{ change: 'changed', apiVersion: 'v1', kind: 'K', name: 'x'.repeat(400_000) }] };
  const [group] = addPlan(start, 'edge-00000', cluster, answer(deep)).groups?.values() ?? [];
  t.is(group?.changes, undefined, 'a long text is not kept');
  const named = { differences: [{ change: 'constructor' }, { change: '__proto__' }, { change: 'constructor' }] };
  const [{ counts = {} } = {}] = addPlan(start, 'edge-00000', cluster, answer(named)).groups?.values() ?? [];
  t.deepEqual(Object.entries(counts), [
    ['constructor', 2],
    ['__proto__', 1],
  ]);
  let rollout: Rollout = start;
  for (let index = 0; index < 1100; index++) {
    const fields = { differences: [{ change: 'changed', name: `${index} ${'x'.repeat(5000)}` }] };
    rollout = apply(rollout, addPlan(rollout, 'edge-00000', cluster, answer(fields)));
  }
  t.is(rollout.groups.size, 1000);
  t.is(clusterOf(rollout, 'edge-00000').failure?.code, 'too_large');
  const length = [...rollout.groups.values()].reduce((sum, { changes = '' }) => sum + changes.length, 0);
  t.true(length <= 1024 * 1024, `${length}`);
});

test('a plan that the packet had no room for is equal to no other one', (t) => {
  const start = rolloutOf(fleetOf(2), options);
  const cluster = { stage: 'planning', attempt: 1, since: 0 } as const;
  const groupOf = (agentId: string, digest: string) => {
    const answer = {
      ...{ ok: true, plan: `default/web@${digest}`, digest, expires: '2100-01-01T00:00:00.000Z', action: 'upgrade' },
      ...{ crds: [], hooks: [], differences: [], unchanged: 0, omitted: ['differences'] },
    } as CommandResult;
    return addPlan(start, agentId, cluster, answer).clusters.get(agentId)?.plan?.group;
  };
  t.not(groupOf('edge-00000', 'a'.repeat(64)), groupOf('edge-00001', 'b'.repeat(64)));
});

test('a group that no cluster has is not approved', (t) => {
  const rollout = planned(fleetOf(1));
  t.throws(() => approvePlans(rollout, ['0'.repeat(32)], 'kim'), { code: 'bad_request' });
});
