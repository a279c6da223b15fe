import { randomBytes } from 'node:crypto';
import type { ExecutionContext } from 'ava';
import { clusterPlans, type ClusterPlansOptions } from '../../src/journal/cluster/cluster-plans.ts';
import { KubeError } from '../../src/kube/kube-error.ts';
import type { Cluster } from '../../src/objects/cluster.ts';
import type { PlanEntry } from '../../src/operation/plan/plan-entry.ts';
import { sandboxTest } from '../operation/world.ts';

const test = sandboxTest();

type Context = ExecutionContext<{ cluster: Cluster; kubeconfig: string }>;

/** Returns plans of agents in a namespace of its own. */
async function plansOf(t: Context) {
  const namespace = `plans-${randomBytes(4).toString('hex')}`;
  const { cluster } = t.context;
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const clock = { milliseconds: 1000 };
  const problems: string[] = [];
  const start = (options: Partial<ClusterPlansOptions> = {}) =>
    clusterPlans({
      ...{ cluster, namespace, agentId: 'edge-1', now: () => clock.milliseconds },
      onProblem: (message) => void problems.push(message),
      ...options,
    });
  const secrets = async () => (await cluster.list({ apiVersion: 'v1', kind: 'Secret', namespace })).length;
  return { start, clock, secrets, cluster, problems };
}

function entryOf(id: string, expiresAt = 5000, salt = ''): PlanEntry {
  const request = { namespace: 'shop', releaseName: 'web' };
  const content = { action: 'install', request, crds: [], hooks: [], objects: [], differences: [] } as const;
  return { format: 1, id, salt, expiresAt, content };
}

test('a plan is found by its id, or the start of it, by the next process of the agent', async (t) => {
  const { start } = await plansOf(t);
  const plans = start();
  for (const id of ['shop/web@abc1', 'shop/web@abd2', 'shop/other@abc1']) await plans.add(entryOf(id));
  const next = start();
  t.deepEqual(await next.find('shop/web@abc1'), entryOf('shop/web@abc1'));
  t.like(await next.find('shop/web@abd'), { id: 'shop/web@abd2' });
  t.is(await next.find('shop/web@ab'), undefined);
  t.is(await next.find('shop/none@abc1'), undefined);
  t.is(await start({ agentId: 'edge-2' }).find('shop/web@abc1'), undefined);
});

test('a plan that was performed is removed with all its Secrets, also after its expiry', async (t) => {
  const { start, clock, secrets } = await plansOf(t);
  const plans = start();
  await plans.add(entryOf('shop/web@abc1', 5000, randomBytes(500_000).toString('hex')));
  await plans.add(entryOf('shop/web@abd2', 9000));
  t.true((await secrets()) > 2);
  await plans.remove('shop/web@ab');
  t.truthy(await plans.find('shop/web@abc1'));
  clock.milliseconds = 6000;
  await plans.remove('shop/web@abc');
  t.is(await plans.find('shop/web@abc1', true), undefined);
  t.is(await secrets(), 1);
  await plans.remove('shop/web@abc1');
  t.truthy(await plans.find('shop/web@abd2'));
});

test('a plan expires, and is deleted when the next one is added', async (t) => {
  const { start, clock, secrets } = await plansOf(t);
  const plans = start();
  await plans.add(entryOf('shop/web@a', 5000));
  clock.milliseconds = 4999;
  t.truthy(await plans.find('shop/web@a'));
  clock.milliseconds = 5000;
  t.is(await plans.find('shop/web@a'), undefined);
  await plans.add(entryOf('shop/web@b', 9000));
  t.is(await secrets(), 1);
});

test('the oldest plans make room for new ones', async (t) => {
  const { start } = await plansOf(t);
  const plans = start({ limits: { lifetime: 1, maxCount: 9, maxOfRelease: 2, maxLength: 1e6 } });
  for (const [index, id] of ['a', 'b', 'c'].entries()) await plans.add(entryOf(`shop/web@${id}`, 5000 + index));
  t.is(await plans.find('shop/web@a'), undefined);
  t.truthy(await plans.find('shop/web@b'));
  t.truthy(await plans.find('shop/web@c'));
});

test('plans that have expired an hour ago are deleted without another one', async (t) => {
  const { start, clock, secrets } = await plansOf(t);
  const plans = start();
  await plans.add(entryOf('shop/web@large', 5000, randomBytes(900_000).toString('hex')));
  clock.milliseconds = 5000 + 3_599_999;
  await start().dropExpired();
  t.true((await secrets()) > 1, 'its performance can be continued');
  clock.milliseconds += 1;
  await start().dropExpired();
  t.is(await secrets(), 0);
});

test('a large plan is stored in several Secrets, which are deleted with it', async (t) => {
  const { start, clock, secrets } = await plansOf(t);
  const plans = start();
  const large = entryOf('shop/web@large', 5000, randomBytes(900_000).toString('hex'));
  await plans.add(large);
  t.true((await secrets()) > 1);
  t.deepEqual(await start().find('shop/web@large'), large);
  clock.milliseconds = 5000;
  await plans.add(entryOf('shop/web@b', 9000));
  t.is(await secrets(), 1);
});

test('storing a plan is repeated if the API server fails for a moment', async (t) => {
  const { start, cluster } = await plansOf(t);
  let failures = 1;
  const failing: Cluster = {
    ...cluster,
    async create(object, options) {
      const created = await cluster.create(object, options);
      failures -= 1;
      if (failures === 0) throw new KubeError('unreachable', 'the answer was lost');
      return created;
    },
  };
  await start({ cluster: failing }).add(entryOf('shop/web@a'));
  t.truthy(await start().find('shop/web@a'));
});
