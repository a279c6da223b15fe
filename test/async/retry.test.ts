import test from 'ava';
import { retry } from '../../src/async/index.ts';

/** Returns an attempt that fails a number of times, and the failures that it was called with. */
function failing(times: number): { attempt: (failures: number) => Promise<string>; calls: number[] } {
  const calls: number[] = [];
  const attempt = (failures: number) => {
    calls.push(failures);
    return calls.length > times ? Promise.resolve('done') : Promise.reject(new Error(`failure ${calls.length}`));
  };
  return { attempt, calls };
}

test('returns the result of the first attempt that succeeds', async (t) => {
  const { attempt, calls } = failing(2);
  t.is(await retry(attempt, { pauses: [0, 0, 0] }), 'done');
  t.deepEqual(calls, [0, 1, 2]);
});

test('throws the error of the attempt after the last pause', async (t) => {
  const { attempt, calls } = failing(9);
  await t.throwsAsync(retry(attempt, { pauses: [0, 0] }), { message: 'failure 3' });
  t.is(calls.length, 3);
});

test('uses the last pause again if it is endless', async (t) => {
  const { attempt, calls } = failing(5);
  t.is(await retry(attempt, { pauses: [0], isEndless: true }), 'done');
  t.is(calls.length, 6);
});

test('computes pauses from the number of failures', async (t) => {
  const failures: number[] = [];
  const pauses = (count: number) => {
    failures.push(count);
    return 0;
  };
  t.is(await retry(failing(3).attempt, { pauses }), 'done');
  t.deepEqual(failures, [1, 2, 3]);
});

test('does not repeat after an error that lasts', async (t) => {
  const { attempt, calls } = failing(9);
  const reported: unknown[] = [];
  const options = { pauses: [0, 0], canRetry: () => false, onRetry: (error: unknown) => reported.push(error) };
  await t.throwsAsync(retry(attempt, options), { message: 'failure 1' });
  t.is(calls.length, 1);
  t.deepEqual(reported, []);
});

test('reports each error before its pause', async (t) => {
  const reported: string[] = [];
  const onRetry = (error: unknown, failures: number) => reported.push(`${String(error)}, ${failures}`);
  await retry(failing(2).attempt, { pauses: [0, 0], onRetry });
  t.deepEqual(reported, ['Error: failure 1, 1', 'Error: failure 2, 2']);
});

test('throws the reason of a signal that aborts during a pause', async (t) => {
  const controller = new AbortController();
  const { attempt, calls } = failing(9);
  const onRetry = () => controller.abort(new Error('no more time'));
  const options = { pauses: [60_000], onRetry, signal: controller.signal };
  await t.throwsAsync(retry(attempt, options), { message: 'no more time' });
  t.is(calls.length, 1);
});
