import test from 'ava';
import { isOlder, newerOf } from '../../../src/operation/tracker/resource-version.ts';

const cases: [version: string | undefined, than: string | undefined, expected: boolean][] = [
  ['9', '10', true],
  ['10', '9', false],
  ['10', '10', false],
  ['99999999999999999998', '99999999999999999999', true],
  [undefined, '1', false],
  ['1', undefined, false],
  ['abc', 'abd', false],
  ['09', '10', false],
];
for (const [version, than, expected] of cases) {
  test(`version ${version ?? 'undefined'} ${expected ? 'is' : 'is not'} older than ${than ?? 'undefined'}`, (t) => {
    t.is(isOlder(version, than), expected);
  });
}

test('the newer of two versions is the known one, or the second', (t) => {
  t.is(newerOf('9', '10'), '10');
  t.is(newerOf('10', '9'), '10');
  t.is(newerOf(undefined, '9'), '9');
  t.is(newerOf('9', undefined), '9');
  t.is(newerOf('a', 'b'), 'b');
});
