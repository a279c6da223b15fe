import test from 'ava';
import { ChartError } from '../../../src/chart/chart-error.ts';
import { compilePathPattern } from '../../../src/chart/load/path-match.ts';

// All results are those of Go's filepath.Match.

const matches = test.macro<[pattern: string, name: string, expected: boolean]>({
  title: (_, pattern, name, expected) => `${pattern} ${expected ? 'matches' : 'does not match'} ${name}`,
  exec(t, pattern, name, expected) {
    t.is(compilePathPattern(pattern).test(name), expected);
  },
});

test(matches, '*', '.h', true);
test(matches, '**', 'a/b', false);
test(matches, 'a?', 'a/', false);
test(matches, '[b-a]', 'a', false);
test(matches, '[!a]', 'b', false);
test(matches, '[^a]', 'b', true);
test(matches, '[[:alpha:]]', 'x', false);
test(matches, '[[:alpha:]]', 'a]', true);
test(matches, '{a,b}', 'a', false);
test(matches, '!a', 'b', false);
test(matches, '+(a)', 'aa', false);
test(matches, '@(a|b)', 'a', false);
test(matches, '$(x)', '$(x)', true);
test(matches, '\\*', '*', true);

for (const pattern of ['a[', '[]a]', '[a-]', '[-a]', '\\']) {
  test(`${pattern} is a syntax error`, (t) => {
    t.throws(() => compilePathPattern(pattern), { instanceOf: ChartError, message: 'syntax error in pattern' });
  });
}

test('a pattern with many stars does not take exponential time', (t) => {
  t.timeout(10_000);
  t.false(compilePathPattern(`${'*a'.repeat(30)}b`).test('a'.repeat(2000)));
});
