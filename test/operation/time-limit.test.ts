import test from 'ava';
import { OperationError } from '../../src/operation/error.ts';
import { durationText, timeLimit } from '../../src/operation/time-limit.ts';

const durations: [number, string][] = [
  [50, '50ms'],
  [1000, '1s'],
  [1500, '1.5s'],
  [60_000, '1m0s'],
  [300_000, '5m0s'],
  [3_600_000, '1h0m0s'],
  [5_405_250, '1h30m5.25s'],
];
for (const [milliseconds, text] of durations) {
  test(`formats ${milliseconds} ms as ${text}`, (t) => {
    t.is(durationText(milliseconds), text);
  });
}

function reasonOf(signal: AbortSignal): OperationError {
  if (!(signal.reason instanceof OperationError)) throw new Error('the reason is not an OperationError');
  return signal.reason;
}

test('aborts after the time limit', async (t) => {
  const limit = timeLimit(10);
  await new Promise((resolve) => limit.signal.addEventListener('abort', resolve));
  t.like(reasonOf(limit.signal), { code: 'timeout', message: 'timed out after 10ms' });
});

test('aborts with another signal, even if that has aborted already', (t) => {
  const cancel = new AbortController();
  const limit = timeLimit(60_000, [undefined, cancel.signal]);
  t.false(limit.signal.aborted);
  cancel.abort(new Error('enough'));
  t.like(reasonOf(limit.signal), { code: 'cancelled', message: 'cancelled: enough' });
  limit.close();

  const late = timeLimit(60_000, [cancel.signal]);
  t.is(reasonOf(late.signal).code, 'cancelled');
  late.close();
});

test('has the reason of the outer limit', (t) => {
  const reason = new OperationError('timeout', 'timed out after 5m0s');
  const inner = timeLimit(60_000, [AbortSignal.abort(reason)]);
  t.is(inner.signal.reason, reason);
  inner.close();
});

test('never aborts after it is closed', async (t) => {
  const cancel = new AbortController();
  const limit = timeLimit(5, [cancel.signal]);
  limit.close();
  cancel.abort();
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.false(limit.signal.aborted);
});
