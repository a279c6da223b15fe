import test from 'ava';
import { LineDivider, logLine } from '../../../src/dashboard/text/log-text.ts';

test('escape sequences of a log are left out', (t) => {
  t.is(logLine('\u001b[1;31mred\u001b[0m\tend\r'), 'red    end');
  t.is(logLine('a\u001b]0;title\u0007b\u001b]8;;http://x\u001b\\c'), 'abc');
  t.is(logLine('a\u001b]52;c;never ends'), 'a52;c;never ends');
  t.is(logLine('\u202egnp\u0000'), '\u{fffd}gnp\u{fffd}');
});

test('a long line of sequences takes little time, and is cut', (t) => {
  const started = performance.now();
  t.true(logLine('\u001b]'.repeat(500_000)).length <= 4000);
  t.true(logLine(`\u001b[${'0'.repeat(1_000_000)}`).length <= 4000);
  t.true(performance.now() - started < 2000);
});

test('lines are divided across texts, and one without an end is not kept for ever', (t) => {
  const divider = new LineDivider();
  t.deepEqual(divider.add('one\ntw'), ['one']);
  t.deepEqual(divider.add('o\n\n'), ['two', '']);
  t.is(divider.add('x'.repeat(70_000)).length, 1);
  t.deepEqual(divider.add('y\n'), ['y']);
  t.deepEqual(divider.end(), []);
  t.deepEqual(divider.add('z'), []);
  t.deepEqual(divider.end(), ['z']);
  t.deepEqual(divider.end(), []);
});
