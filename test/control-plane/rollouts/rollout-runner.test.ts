import test from 'ava';
import { ControlPlaneError } from '../../../src/control-plane/error.ts';
import { silentLog } from '../../../src/control-plane/logger.ts';
import type { Rollout } from '../../../src/control-plane/rollouts/rollout.ts';
import { RolloutRunner } from '../../../src/control-plane/rollouts/rollout-runner.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeCluster, type Fleet, rolloutOf, stagesOf, worldOf } from './support/fleet.ts';

/** Runs a rollout over a fleet until it has ended. */
async function run(rollout: Rollout, fleet: Fleet): Promise<Rollout> {
  const runner = new RolloutRunner(
    { ...rollout, clusters: new Map(rollout.clusters), groups: new Map(rollout.groups) },
    {
      ...{ ...worldOf(fleet, 0), now: () => 0, log: silentLog, supersededOf: () => () => false },
      ...{ keep: () => undefined, onStatus: () => undefined },
      ...{ stored: () => Promise.resolve(), storedLater: () => Promise.resolve() },
      askWebhook: () => Promise.resolve({ status: 204 }),
      send(agentId, { key = '', type, payload = {} }) {
        if (typeof payload === 'string') throw new Error('a rollout has sent the text of a payload');
        const result = fleet.get(agentId)?.perform(key, type, payload) ?? { ok: true };
        return { stored: Promise.resolve(), outcome: () => Promise.resolve(result), cancel: () => undefined };
      },
    },
  );
  runner.begin();
  await eventually('the rollout has ended', () => runner.rollout.status.phase !== 'running');
  runner.close();
  return runner.rollout;
}

test('a command whose result is not known when the control plane is closed is no failure of its cluster', async (t) => {
  const fleet = new Map([['edge', new FakeCluster()]]);
  let isAsked = false;
  const runner = new RolloutRunner(
    { ...rolloutOf(fleet), clusters: new Map(), groups: new Map() },
    {
      ...{ ...worldOf(fleet, 0), now: () => 0, log: silentLog, supersededOf: () => () => false },
      ...{ keep: () => undefined, onStatus: () => undefined },
      ...{ stored: () => Promise.resolve(), storedLater: () => Promise.resolve() },
      askWebhook: () => Promise.resolve({ status: 204 }),
      send: () => ({
        stored: Promise.resolve(),
        outcome: () => {
          isAsked = true;
          return Promise.reject(new ControlPlaneError('store_unavailable', 'the control plane is closed'));
        },
        cancel: () => undefined,
      }),
    },
  );
  runner.begin();
  await eventually('the result is asked for', () => isAsked);
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(stagesOf(runner.rollout), { inspecting: 1 });
  runner.close();
});

for (const agentId of ['constructor', 'toString', 'valueOf', 'hasOwnProperty']) {
  test(`an agent may be named ${agentId}`, async (t) => {
    const fleet = new Map([[agentId, new FakeCluster()]]);
    t.deepEqual(stagesOf(await run(rolloutOf(fleet), fleet)), { updated: 1 });
  });
}

test('a cluster for which no command can be made has failed, and the control plane continues', async (t) => {
  const fleet = new Map([['edge', new FakeCluster()]]);
  const { plan, ...rest } = rolloutOf(fleet, { onFailure: 'pause' });
  const differences = { edge: 1 } as unknown as typeof plan.differences; // as in a store that someone has edited
  const { clusters } = await run({ ...rest, plan: { ...plan, differences } }, fleet);
  t.like(clusters.get('edge'), { stage: 'failed', failure: { code: 'internal' } });
});
