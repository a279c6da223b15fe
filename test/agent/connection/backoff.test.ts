import test from 'ava';
import { backoffDelay, defaultBackoff } from '../../../src/agent/connection/backoff.ts';
import fc from '../../support/fast-check.ts';

test('the first attempt is immediate', (t) =>
  t.is(
    backoffDelay(0, defaultBackoff, () => 0.99),
    0,
  ));

test('waits are spread evenly up to a bound that doubles, at most 30 s', (t) => {
  for (const [attempt, bound] of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000].entries()) {
    const delays = Array.from({ length: 10 }, (_, tenth) =>
      backoffDelay(attempt + 1, defaultBackoff, () => tenth / 10),
    );
    t.deepEqual(
      delays.map(Math.round),
      Array.from({ length: 10 }, (_, tenth) => (bound * tenth) / 10),
    );
  }
});

test('no wait is longer than the cap', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.nat(100_000), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, random) => {
        const delay = backoffDelay(attempt, defaultBackoff, () => random);
        return delay >= 0 && delay <= 30_000;
      }),
    ),
  );
});
