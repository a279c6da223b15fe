import test from 'ava';
import { parseConstraint, satisfies } from '../../src/go/semver-constraint.ts';
import { parseVersion } from '../../src/go/semver.ts';
import { GoError } from '../../src/go/value.ts';

const holds = test.macro({
  title: (_, constraint: string, version: string, expected: boolean) =>
    `${version} ${expected ? 'satisfies' : 'does not satisfy'} ${constraint}`,
  exec: (t, constraint: string, version: string, expected: boolean) =>
    t.is(satisfies(parseVersion(version), parseConstraint(constraint)), expected),
});

test(holds, '1', '1.9.9', true);
test(holds, '1.2', '1.3.0', false);
test(holds, '1.x, !=1.5.x', '1.5.1', false);
test(holds, '1.2 - 1.4 || ~3.1', '3.1.9', true);

test('a constraint of many terms that is wrong at its end is refused at once', (t) => {
  const start = performance.now();
  t.throws(() => parseConstraint(`${'1.x '.repeat(100)}!`), { instanceOf: GoError, message: /^improper constraint/ });
  t.true(performance.now() - start < 1000);
});
