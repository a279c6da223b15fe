import test from 'ava';
import { parseVersion } from '../../src/go/semver.ts';
import { parseConstraint, satisfies } from '../../src/go/semver-constraint.ts';
import { GoError } from '../../src/go/value.ts';

const checks = test.macro({
  title: (_, constraint: string, version: string, expected: boolean) =>
    `${version} ${expected ? 'satisfies' : 'does not satisfy'} ${constraint}`,
  exec: (t, constraint: string, version: string, expected: boolean) =>
    t.is(satisfies(parseVersion(version), parseConstraint(constraint)), expected),
});

test(checks, '1', '1.9.9', true);
test(checks, '1.2', '1.3.0', false);
test(checks, '1.x, !=1.5.x', '1.5.1', false);
test(checks, '1.2 - 1.4 || ~3.1', '3.1.9', true);

test('rejects a long constraint with an error at its end quickly', (t) => {
  const start = process.cpuUsage();
  t.throws(() => parseConstraint(`${'1.x '.repeat(100)}!`), { instanceOf: GoError, message: /^improper constraint/ });
  t.true(process.cpuUsage(start).user < 1_000_000, 'takes more than a second of CPU time');
});
