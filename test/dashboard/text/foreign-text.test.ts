import test from 'ava';
import { foreignLines, foreignName } from '../../../src/dashboard/text/foreign-text.ts';

const shows = test.macro({
  exec: (t, given: string, shown: string) => t.is(foreignName(given), shown),
  title: (title) => `shows ${title ?? ''}`,
});
test('a name of other scripts as it is', shows, 'größe-名前-веб', 'größe-名前-веб');
test('line breaks and controls as one sign each', shows, 'a\nb\u0000c\u2028d', 'a\ufffdb\ufffdc\ufffdd');
test('marks of direction as a sign', shows, 'safe\u202egnp.exe\u2066', 'safe\ufffdgnp.exe\ufffd');
test('at most two marks above a letter', shows, `e${'\u0301'.repeat(50)}x`, 'e\u0301\u0301x');
test('the start of a long name', shows, 'a'.repeat(300), `${'a'.repeat(252)}…`);
test('no half of a character at the cut', shows, `${'a'.repeat(251)}😀😀`, `${'a'.repeat(251)}…`);

test('splits a text into lines, and says if some are left out', (t) => {
  t.deepEqual(foreignLines('a\r\nb\n\tc'), ['a', 'b', '    c']);
  t.deepEqual(foreignLines('a\nb\nccc', { maxLines: 2, maxLine: 5 }), ['a', 'b', '… the rest is not shown']);
});

test('reads a long line of marks in linear time', (t) => {
  const text = 'e\u0301'.repeat(1_000_000) + '\u0301'.repeat(1_000_000);
  t.is(foreignName(text).length, 253);
});
