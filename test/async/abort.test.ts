import test from 'ava';
import { abortable, abortReason, sleep, unlessAborted, whenAborted } from '../../src/async/index.ts';

const pending = new Promise<string>(() => undefined);

test('a promise is left when the signal aborts', async (t) => {
  const controller = new AbortController();
  const result = abortable(pending, controller.signal);
  controller.abort(new Error('stop'));
  await t.throwsAsync(result, { message: 'stop' });
  await t.throwsAsync(abortable(Promise.resolve(''), controller.signal), { message: 'stop' });
});

test('a promise that is settled before the abort keeps its result', async (t) => {
  const { signal } = new AbortController();
  t.is(await abortable(Promise.resolve('done'), signal), 'done');
  await t.throwsAsync(abortable(Promise.reject(new Error('broken')), signal), { message: 'broken' });
});

test('a wait that ends with its signal has no result, and errors are those of the promise', async (t) => {
  const controller = new AbortController();
  const { signal } = controller;
  t.is(await unlessAborted(Promise.resolve('done'), signal), 'done');
  t.is(await unlessAborted(Promise.resolve('done'), undefined), 'done');
  await t.throwsAsync(unlessAborted(Promise.reject(new Error('broken')), signal), { message: 'broken' });
  const wait = unlessAborted(pending, signal);
  controller.abort();
  t.is(await wait, undefined);
});

test('a pause ends with the reason of the signal', async (t) => {
  const reason = new Error('stop');
  t.is(await t.throwsAsync(sleep(60_000, AbortSignal.abort(reason))), reason);
  await t.notThrowsAsync(sleep(0));
});

test('the reason of a signal is an error', (t) => {
  t.is(abortReason(AbortSignal.abort(new Error('stop'))).message, 'stop');
  t.is(abortReason(AbortSignal.abort('text')).message, 'the task was cancelled');
});

test('waits for an abort', async (t) => {
  const controller = new AbortController();
  const wait = whenAborted(controller.signal);
  controller.abort();
  await t.notThrowsAsync(wait);
  await t.notThrowsAsync(whenAborted(controller.signal));
});
