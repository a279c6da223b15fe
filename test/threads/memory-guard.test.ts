import test from 'ava';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMemoryGuard, type GuardedThread } from '../../src/threads/memory-guard.ts';

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
  while (large.reasons.length === 0) await sleep(1);
  guard.remove(small.guarded);
  guard.remove(large.guarded);
  t.deepEqual(small.reasons, []);
});

test('ends a thread that is too busy to report its heap', async (t) => {
  const guard = createMemoryGuard({ ...options, residentBytes: () => 101 });
  const [reporting, busy] = [thread(15), thread(undefined)];
  guard.add(reporting.guarded);
  guard.add(busy.guarded);
  while (busy.reasons.length === 0) await sleep(1);
  guard.remove(reporting.guarded);
  guard.remove(busy.guarded);
  t.deepEqual(reporting.reasons, []);
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
