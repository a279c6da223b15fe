import test from 'ava';
import { createGrowingMemory, MemoryFullError } from '../../../src/chart/load/growing-memory.ts';

test('hands out pieces that follow each other', (t) => {
  const memory = createGrowingMemory(1_000_000);
  memory.take(3).set([1, 2, 3]);
  memory.take(0);
  memory.take(700_000).fill(4);
  memory.take(1).set([5]);
  t.deepEqual([...memory.all().subarray(0, 4)], [1, 2, 3, 4]);
  t.is(memory.all().length, 700_004);
  t.is(memory.all().at(-1), 5);
});

test('takes no more than its limit', (t) => {
  const memory = createGrowingMemory(10);
  memory.take(10);
  t.throws(() => memory.take(1), { instanceOf: MemoryFullError });
});

test('threads share it', (t) => {
  const memory = createGrowingMemory(10);
  const clone = structuredClone(memory.take(2));
  clone.set([7, 8]);
  t.deepEqual([...memory.all()], [7, 8]);
});
