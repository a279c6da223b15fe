import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { createMemoryGuard, type GuardedThread } from '../../src/threads/memory-guard.ts';
import { eventually } from '../support/eventually.ts';

const options = { processBytes: 100, threadBytes: 30, intervalMs: 1 };

function thread(bytes: number | undefined) {
  const reasons: string[] = [];
  const guarded: GuardedThread = { heapBytes: () => Promise.resolve(bytes), end: (reason) => reasons.push(reason) };
  return { guarded, reasons };
}

test('ends the largest thread when the process takes too much memory', async (t) => {
  const guard = createMemoryGuard({ ...options, residentBytes: () => 101 });
  const [small, large] = [thread(40), thread(50)];
  guard.add(small.guarded);
  guard.add(large.guarded);
  await eventually('the large thread is ended', () => large.reasons.length > 0);
  guard.remove(small.guarded);
  guard.remove(large.guarded);
  t.deepEqual(small.reasons, []);
});

test('ends a thread that is too busy to report its heap while the process grows', async (t) => {
  let resident = 101;
  const guard = createMemoryGuard({ ...options, residentBytes: () => (resident += 2 ** 20) });
  const [reporting, busy] = [thread(15), thread(undefined)];
  guard.add(reporting.guarded);
  guard.add(busy.guarded);
  await eventually('the busy thread is ended', () => busy.reasons.length > 0);
  guard.remove(reporting.guarded);
  guard.remove(busy.guarded);
  t.deepEqual(reporting.reasons, []);
});

test('leaves a thread alone that is too busy to report its heap while the process does not grow', async (t) => {
  const guard = createMemoryGuard({ ...options, residentBytes: () => 101 });
  const { guarded, reasons } = thread(undefined);
  guard.add(guarded);
  await sleep(20);
  guard.remove(guarded);
  t.deepEqual(reasons, []);
});

test('forgets how long a thread was silent when it reports', async (t) => {
  let resident = 101;
  const guard = createMemoryGuard({ ...options, residentBytes: () => resident });
  let asked = 0;
  const reasons: string[] = [];
  const guarded: GuardedThread = {
    heapBytes() {
      resident += 2 ** 20;
      return Promise.resolve(++asked % 2 === 0 ? 10 : undefined);
    },
    end: (reason) => reasons.push(reason),
  };
  guard.add(guarded);
  await eventually('the thread is asked 20 times', () => asked >= 20);
  guard.remove(guarded);
  t.deepEqual(reasons, []);
});

for (const [title, bytes, resident] of [
  ['leaves threads alone that stay within their share', 30, 101],
  ['leaves threads alone while the process has enough memory', 90, 100],
] as const) {
  test(title, async (t) => {
    const guard = createMemoryGuard({ ...options, residentBytes: () => resident });
    const { guarded, reasons } = thread(bytes);
    guard.add(guarded);
    await sleep(20);
    guard.remove(guarded);
    t.deepEqual(reasons, []);
  });
}
