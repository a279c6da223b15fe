import test from 'ava';
import stringWidth from 'string-width';
import { cut, table } from '../../src/cli/table.ts';

test('a text is cut to columns of the terminal, not to characters', (t) => {
  t.is(cut('abcdef', 6), 'abcdef');
  t.is(cut('abcdefg', 6), 'abcde…');
  t.is(cut('日本語版', 8), '日本語版');
  t.is(cut('日本語版x', 8), '日本語…');
  t.is(cut('👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧', 5), '👨‍👩‍👧👨‍👩‍👧…');
});

test('a text of a MiB is cut without a look at all of it', (t) => {
  const started = performance.now();
  for (const unit of ['x', '日', 'e\u0301', '👨\u200D']) t.true(stringWidth(cut(unit.repeat(500_000), 80)) <= 80);
  t.true(performance.now() - started < 5000); // some milliseconds if the machine is not busy
});

test('cells of wide characters are aligned', (t) => {
  t.deepEqual(
    table([
      ['NAME', 'STATUS'],
      ['日本', 'ok'],
      ['web', 'ok'],
    ]),
    ['NAME  STATUS', '日本  ok', 'web   ok'],
  );
});

test('a line break in a cell does not begin a row', (t) => {
  t.deepEqual(table([['a\nb\r\nc', 'x']]), ['a b c  x']);
});

test('a cell of a MiB does not make the other rows long', (t) => {
  const rows = table([['x'.repeat(1 << 20), 'a'], ...Array.from({ length: 1000 }, () => ['web', 'b'])]);
  t.is(rows[1]?.length, 103);
});
