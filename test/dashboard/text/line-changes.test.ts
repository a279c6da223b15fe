import test from 'ava';
import { changedLines } from '../../../src/dashboard/text/line-changes.ts';

const shown = (before: string[], after: string[]) =>
  changedLines(before, after).map(({ change, line }) => `${change} ${line}`);

test('shows the lines that differ, with three lines around them', (t) => {
  const before = Array.from({ length: 20 }, (_, index) => `line ${index}`);
  const after = before.with(10, 'other');
  t.deepEqual(shown(before, after), [
    ...['same line 7', 'same line 8', 'same line 9'],
    ...['removed line 10', 'added other'],
    ...['same line 11', 'same line 12', 'same line 13'],
  ]);
});

test('shows a gap between two changes', (t) => {
  const before = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  const lines = shown(before, before.with(5, 'a').with(25, 'b'));
  t.is(lines.filter((line) => line === 'same …').length, 1);
});

test('shows nothing if nothing differs', (t) => {
  t.deepEqual(changedLines(['a', 'b'], ['a', 'b']), []);
});

test('compares long texts that have nothing in common in bounded time', (t) => {
  const lines = (prefix: string) => Array.from({ length: 20_000 }, (_, index) => `${prefix}${index}`);
  const start = performance.now();
  t.is(changedLines(lines('a'), lines('b')).length, 40_000);
  t.true(performance.now() - start < 20_000);
});
