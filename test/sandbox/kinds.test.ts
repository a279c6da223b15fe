import test from 'ava';
import { applyDefaults } from '../../src/sandbox/admission/defaults.ts';
import { kindErrors } from '../../src/sandbox/admission/kind-validation.ts';
import { immutableFieldErrors } from '../../src/sandbox/admission/update-validation.ts';

for (const kind of ['constructor', 'toString', '__proto__']) {
  test(`a custom resource may have the kind ${kind}`, (t) => {
    const object = { apiVersion: 'example.com/v1', kind, metadata: { name: 'a' } };
    t.notThrows(() => applyDefaults(object));
    t.deepEqual(kindErrors(object), []);
    t.deepEqual(immutableFieldErrors(object, object), []);
  });
}
