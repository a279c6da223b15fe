import test from 'ava';
import { shownRows } from '../../../src/dashboard/parts/shown-rows.ts';

test('shows the rows in sight, and some around them', (t) => {
  t.deepEqual(shownRows({ top: 0, height: 440 }, 10_000, 44), { start: 0, end: 16 });
  t.deepEqual(shownRows({ top: 4400, height: 440 }, 10_000, 44), { start: 94, end: 116 });
  t.deepEqual(shownRows({ top: 439_560, height: 440 }, 10_000, 44), { start: 9984, end: 10_000 });
});

test('shows the last rows if the list has become shorter than the place that was scrolled to', (t) => {
  const { start, end } = shownRows({ top: 400_000, height: 440 }, 120, 44);
  t.true(start < end && end === 120);
});
