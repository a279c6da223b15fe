import test from 'ava';
import { applyMergePatch, createMergePatch, threeWayMergePatch } from '../../../src/objects/patch/json-merge-patch.ts';
import fc from '../../support/fast-check.ts';

test('the patch between two objects has what is new, what differs, and null for what is gone', (t) => {
  const original = { same: 1, changed: 'a', gone: true, map: { same: [1], gone: 1 }, list: [1, 2] };
  const modified = { same: 1, changed: 'b', map: { same: [1], added: {} }, list: [1], big: 9007199254740993n };
  t.deepEqual(createMergePatch(original, modified), {
    changed: 'b',
    gone: null,
    map: { gone: null, added: {} },
    list: [1],
    big: 9007199254740993n,
  });
});

const values = fc.object({
  key: fc.constantFrom('a', 'b', 'c', '__proto__'),
  values: [fc.integer(), fc.string(), fc.boolean()],
  maxDepth: 3,
  withNullPrototype: false,
});

test('the patch between two objects turns one into the other', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(values, values, (original, modified) => {
        const patch = createMergePatch(original, modified);
        t.deepEqual(applyMergePatch(original, patch), modified);
      }),
    ),
  );
});

test('a patch of three forms undoes what others changed, and keeps what they added', (t) => {
  const original = { spec: { size: 1, old: 1 }, gone: 1 };
  const modified = { spec: { size: 1, color: 'red' } };
  const live = { spec: { size: 5, old: 1, theirs: 1 }, gone: 1, status: {} };
  const patch = threeWayMergePatch(original, modified, live);
  t.deepEqual(patch, { spec: { size: 1, old: null, color: 'red' }, gone: null });
  t.deepEqual(applyMergePatch(live, patch), { spec: { size: 1, color: 'red', theirs: 1 }, status: {} });
});
