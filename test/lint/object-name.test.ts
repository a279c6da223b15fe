import test from 'ava';
import { objectNameProblem } from '../../src/lint/object-name.ts';

const accepts = test.macro<[kind: string, name: string, isValid: boolean]>({
  title: (_, kind, name, isValid) => `a ${kind} ${isValid ? 'may' : 'may not'} be named ${JSON.stringify(name)}`,
  exec(t, kind, name, isValid) {
    t.is(objectNameProblem({ kind, name, apiVersion: 'v1' }) === undefined, isValid);
  },
});

for (const kind of ['ConfigMap', 'constructor', 'toString', '__proto__']) {
  test(accepts, kind, 'a.b', true);
  test(accepts, kind, 'A', false);
}
test(accepts, 'Service', 'a.b', false);
test(accepts, 'Role', 'A:b', true);
