import test from 'ava';
import { obeyedPace, paceOf } from '../../src/protocol/pace.ts';

test('an agent follows its control plane within bounds', (t) => {
  t.deepEqual(obeyedPace({ heartbeat: 30, spread: 20 }), { silenceLimitMs: 60_000, spreadMs: 20_000 });
  for (const least of [0, -1, -1e308, 1e-300, 0.999]) {
    t.deepEqual(obeyedPace({ heartbeat: least, spread: least - 1 }), { silenceLimitMs: 2000, spreadMs: 0 });
  }
  for (const most of [121, 1e308, Number.MAX_SAFE_INTEGER]) {
    t.deepEqual(obeyedPace({ heartbeat: most, spread: most }), { silenceLimitMs: 240_000, spreadMs: 60_000 });
  }
});

test('a fleet comes back in proportion to its size', (t) => {
  const spreads = [1, 100, 10_000, 1_000_000].map(
    (agents) => paceOf({ agents, perSecond: 500, pingIntervalMs: 30_000 }).spread,
  );
  t.deepEqual(spreads, [0.002, 0.2, 20, 60]);
});
