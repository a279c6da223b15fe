import test from 'ava';
import { createFairQueue } from '../../src/threads/fair-queue.ts';

test('returns items of one owner in the order in which they came', (t) => {
  const queue = createFairQueue<number>();
  for (const item of [1, 2, 3]) queue.push('a', item);
  t.deepEqual(
    [1, 2, 3].map(() => queue.next(new Map(), 9)?.item),
    [1, 2, 3],
  );
  t.is(queue.next(new Map(), 9), undefined);
});

test('prefers the owner with the fewest running items', (t) => {
  const queue = createFairQueue<number>();
  queue.push('busy', 1);
  queue.push('idle', 2);
  t.deepEqual(queue.next(new Map([['busy', 1]]), 9), { owner: 'idle', item: 2 });
});

test('passes over an owner that has as many running items as it may have', (t) => {
  const queue = createFairQueue<number>();
  queue.push('busy', 1);
  t.is(queue.next(new Map([['busy', 2]]), 2), undefined);
  t.is(queue.size, 1);
});

test('forgets an item that was removed', (t) => {
  const queue = createFairQueue<number>();
  queue.push('a', 1);
  queue.push('a', 2);
  queue.remove(1);
  t.is(queue.next(new Map(), 9)?.item, 2);
});
