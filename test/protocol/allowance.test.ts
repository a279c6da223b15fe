import test from 'ava';
import { Allowance } from '../../src/protocol/allowance.ts';

test('uses come back with time, up to their number', (t) => {
  let time = 0;
  const allowance = new Allowance({ count: 2, perSecond: 1, now: () => time });
  t.deepEqual([allowance.take(), allowance.take(), allowance.take()], [true, true, false]);
  time = 999;
  t.false(allowance.take());
  time = 1001;
  t.true(allowance.take());
  t.false(allowance.take());
  time = 60_000;
  t.deepEqual([allowance.take(), allowance.take(), allowance.take()], [true, true, false]);
});
