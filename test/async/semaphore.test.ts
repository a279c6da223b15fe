import test from 'ava';
import { Semaphore } from '../../src/async/index.ts';

const never = new AbortController().signal;

test('runs as many functions at a time as its limit', async (t) => {
  const semaphore = new Semaphore(2);
  let running = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
  };
  await Promise.all(Array.from({ length: 7 }, () => semaphore.run(work, never)));
  t.is(most, 2);
  t.is(running, 0);
});

test('starts waiting functions in the order in which they came', async (t) => {
  const semaphore = new Semaphore(1);
  const order: number[] = [];
  await Promise.all(
    [1, 2, 3].map((number) =>
      semaphore.run(() => {
        order.push(number);
        return Promise.resolve();
      }, never),
    ),
  );
  t.deepEqual(order, [1, 2, 3]);
});

test('a turn ends if its function fails', async (t) => {
  const semaphore = new Semaphore(1);
  const failed = semaphore.run(() => Promise.reject(new Error('broken')), never);
  const next = semaphore.run(() => Promise.resolve('next'), never);
  await t.throwsAsync(failed, { message: 'broken' });
  t.is(await next, 'next');
});

test('a function whose signal aborts leaves the queue', async (t) => {
  const semaphore = new Semaphore(1);
  await semaphore.acquire(never);
  const leaving = new AbortController();
  const left = semaphore.acquire(leaving.signal);
  const next = semaphore.run(() => Promise.resolve('next'), never);
  leaving.abort(new Error('gone'));
  await t.throwsAsync(left, { message: 'gone' });
  semaphore.release();
  t.is(await next, 'next');
  await t.throwsAsync(semaphore.acquire(leaving.signal), { message: 'gone' });
});
