import test from 'ava';
import { fieldSelectorText, matchesFields, parseFieldSelector } from '../../src/objects/field-selector.ts';
import fc from '../support/fast-check.ts';

test('reads requirements that are equal or not', (t) => {
  t.deepEqual(parseFieldSelector('metadata.name=web,status.phase!=Running,type==Warning'), [
    { path: 'metadata.name', equal: true, value: 'web' },
    { path: 'status.phase', equal: false, value: 'Running' },
    { path: 'type', equal: true, value: 'Warning' },
  ]);
});

test('any name selects exactly the object with that name', (t) => {
  const name = fc.string({ unit: fc.constantFrom(',', '=', '\\', '!', '\n', 'a') });
  fc.assert(
    fc.property(name, (value) => {
      const requirements = parseFieldSelector(fieldSelectorText('metadata.name', value));
      t.deepEqual(requirements, [{ path: 'metadata.name', equal: true, value }]);
      t.true(matchesFields(requirements, { apiVersion: 'v1', kind: 'Role', metadata: { name: value } }));
    }),
  );
});
