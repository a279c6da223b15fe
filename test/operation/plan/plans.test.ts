import test from 'ava';
import type { PlanEntry } from '../../../src/operation/plan/plan-entry.ts';
import { type PlanLimits, planLimits, plansToDrop } from '../../../src/operation/plan/plan-retention.ts';
import { memoryPlans } from '../../../src/operation/plan/plans.ts';

function newPlans(options?: Partial<PlanLimits>) {
  const clock = { milliseconds: 1000 };
  return { clock, plans: memoryPlans({ now: () => BigInt(clock.milliseconds) * 1_000_000n }, options) };
}

function entryOf(id: string, expiresAt = 5000): PlanEntry {
  const request = { namespace: 'shop', releaseName: 'web' };
  const content = { action: 'install', request, crds: [], hooks: [], objects: [], differences: [] } as const;
  return { format: 1, id, salt: '', expiresAt, content };
}

test('a plan is found by its id and by the start of it', async (t) => {
  const { plans } = newPlans();
  await plans.add(entryOf('shop/web@abc1'));
  await plans.add(entryOf('shop/web@abd2'));
  t.like(await plans.find('shop/web@abc1'), { id: 'shop/web@abc1' });
  t.like(await plans.find('shop/web@abd'), { id: 'shop/web@abd2' });
  t.is(await plans.find('shop/web@ab'), undefined);
  t.is(await plans.find('shop/web@x'), undefined);
});

test('a plan is removed by its id or the start of it, and the start of several removes none', async (t) => {
  const { plans } = newPlans();
  await plans.add(entryOf('shop/web@abc1'));
  await plans.add(entryOf('shop/web@abd2'));
  await plans.remove('shop/web@ab');
  await plans.remove('shop/web@x');
  t.truthy(await plans.find('shop/web@abc1'));
  await plans.remove('shop/web@abd');
  t.is(await plans.find('shop/web@abd2'), undefined);
  t.truthy(await plans.find('shop/web@abc1'));
});

test('a plan expires, unless its performance has started', async (t) => {
  const { plans, clock } = newPlans();
  await plans.add(entryOf('a', 5000));
  clock.milliseconds = 4999;
  t.truthy(await plans.find('a'));
  clock.milliseconds = 5000;
  t.truthy(await plans.find('a', true));
  t.is(await plans.find('a'), undefined);
});

test('the oldest plans of a release make room for its new ones', async (t) => {
  const few = newPlans({ maxOfRelease: 2 }).plans;
  for (const [index, id] of ['a', 'b', 'c'].entries()) await few.add(entryOf(`shop/web@${id}`, 5000 + index));
  await few.add(entryOf('shop/db@a'));
  t.is(await few.find('shop/web@a'), undefined);
  for (const id of ['shop/web@b', 'shop/web@c', 'shop/db@a']) t.truthy(await few.find(id));
});

test('plans of other releases, however many and large, do not drive out older ones', async (t) => {
  const { plans } = newPlans();
  await plans.add(entryOf('shop/approved@a', 5000));
  for (let index = 0; index < 500; index += 1) {
    await plans.add(entryOf(`shop/web@${index}`, 5001 + index));
    await plans.add(entryOf(`shop/flood-${index}@a`, 5001 + index));
  }
  t.truthy(await plans.find('shop/approved@a'));
  t.truthy(await plans.find('shop/flood-499@a'), 'the newest plan can be performed');
  const plan = (id: string, size: number, expiresAt: number) => ({ id, size, expiresAt });
  const all = [plan('a@a', 4, 1), plan('b@b', 4, 2), plan('c@c', 4, 3)];
  t.deepEqual(plansToDrop(all, { ...planLimits, maxLength: 8 }, 0, 'c@c'), [all[1]]);
  t.deepEqual(plansToDrop(all, planLimits, 2), all.slice(0, 2));
});

test('plans that have expired are deleted without another one', async (t) => {
  const { plans, clock } = newPlans();
  await plans.add(entryOf('shop/web@b'));
  clock.milliseconds = 5000;
  t.truthy(await plans.find('shop/web@b', true));
  await plans.dropExpired();
  t.is(await plans.find('shop/web@b', true), undefined);
});
