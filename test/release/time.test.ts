import test from 'ava';
import { formatTime, unixSeconds } from '../../src/release/time.ts';

const cases: [bigint, string][] = [
  [0n, '1970-01-01T00:00:00Z'],
  [1_700_000_000_000_000_000n, '2023-11-14T22:13:20Z'],
  [1_700_000_000_123_456_789n, '2023-11-14T22:13:20.123456789Z'],
  [1_700_000_000_100_000_000n, '2023-11-14T22:13:20.1Z'],
  [1_700_000_000_000_000_010n, '2023-11-14T22:13:20.00000001Z'],
  [-1n, '1969-12-31T23:59:59.999999999Z'],
];

for (const [nanos, text] of cases) {
  test(`formats ${nanos} ns as ${text}`, (t) => {
    t.is(formatTime(nanos), text);
  });
}

test('formats whole seconds', (t) => {
  t.is(unixSeconds(1_700_000_000_999_999_999n), '1700000000');
});
