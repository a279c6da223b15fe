import test from 'ava';
import { durationText, relativeTime } from '../../../src/dashboard/text/time-text.ts';

const now = Date.UTC(2026, 0, 2, 3, 4, 5);

test('says how long ago a time is, in whole units', (t) => {
  const ago = (seconds: number) => relativeTime(now - seconds * 1000, now);
  t.deepEqual([0, 5, 90, 7300, 200_000].map(ago), ['now', '5s ago', '1m ago', '2h ago', '2d ago']);
  t.is(relativeTime(now + 3_700_000, now), 'in 1h');
});

test('says how long something takes', (t) => {
  t.deepEqual([-5, 420, 59_400, 185_000, 7_800_000].map(durationText), [
    '0.0 s',
    '0.4 s',
    '59 s',
    '3 min 5 s',
    '2 h 10 min',
  ]);
});
