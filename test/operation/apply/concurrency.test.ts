import test from 'ava';
import { forEach, settleEach } from '../../../src/operation/apply/concurrency.ts';

test('runs at most eight at a time, keeps the order of results, and continues after a failure', async (t) => {
  let running = 0;
  let most = 0;
  const run = async (item: number) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, item % 3));
    running -= 1;
    if (item === 5) throw new Error('five');
    return item * 2;
  };
  const items = Array.from({ length: 30 }, (_, index) => index);
  const results = await settleEach(items, run);
  t.is(most, 8);
  t.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value / 2 : -1)),
    items.map((item) => (item === 5 ? -1 : item)),
  );
  await t.throwsAsync(forEach(items, run), { message: 'five' });
});
