import test from 'ava';
import type { PlanEntry } from '../../../src/operation/plan/plan-entry.ts';
import { memoryPlans, type PlanLimits } from '../../../src/operation/plan/plans.ts';

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

test('a plan expires, unless its performance has started', async (t) => {
  const { plans, clock } = newPlans();
  await plans.add(entryOf('a', 5000));
  clock.milliseconds = 4999;
  t.truthy(await plans.find('a'));
  clock.milliseconds = 5000;
  t.truthy(await plans.find('a', true));
  t.is(await plans.find('a'), undefined);
});

test('the oldest plans make room for new ones, by number and by size', async (t) => {
  const few = newPlans({ maxCount: 2 }).plans;
  for (const id of ['a', 'b', 'c']) await few.add(entryOf(id));
  t.is(await few.find('a'), undefined);
  t.truthy(await few.find('b'));
  const { length } = JSON.stringify(entryOf('a'));
  const small = newPlans({ maxLength: 2 * length }).plans;
  for (const id of ['a', 'b', 'b', 'c']) await small.add(entryOf(id));
  t.is(await small.find('a'), undefined);
  t.truthy(await small.find('b'));
  t.truthy(await small.find('c'));
});
