import test from 'ava';
import { checkNamespace, releaseNameProblem } from '../../../src/operation/steps/names.ts';

const rule =
  'invalid release name, must match regex ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$ and the length must not be longer than 53';

const releaseNames: [string, string | undefined][] = [
  ['web', undefined],
  ['web-1.blue', undefined],
  ['0', undefined],
  ['a'.repeat(53), undefined],
  ['', 'no name provided'],
  ['a'.repeat(54), rule],
  ['Web', rule],
  ['-web', rule],
  ['web-', rule],
  ['web..blue', rule],
  ['web/..', rule],
  ['web\n', rule],
];
for (const [name, problem] of releaseNames) {
  test(`${problem === undefined ? 'accepts' : 'refuses'} the release name ${JSON.stringify(name)}`, (t) => {
    t.is(releaseNameProblem(name), problem);
  });
}

for (const name of ['default', 'a', '0-1', 'a'.repeat(63)]) {
  test(`accepts the namespace ${JSON.stringify(name)}`, (t) => {
    t.notThrows(() => checkNamespace(name));
  });
}

for (const name of ['', 'Default', 'a.b', '-a', 'a-', 'a/b', '../x', 'a'.repeat(64)]) {
  test(`refuses the namespace ${JSON.stringify(name)}`, (t) => {
    const error = t.throws(() => checkNamespace(name));
    t.like(error, { code: 'invalid_namespace' });
    t.regex(error.message, /^invalid namespace /);
  });
}
