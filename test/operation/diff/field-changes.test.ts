import test from 'ava';
import { fieldChanges } from '../../../src/operation/diff/field-changes.ts';

const differs = test.macro({
  title: (name) => name ?? '',
  exec(t, before: unknown, after: unknown, expected: object[]) {
    t.deepEqual<unknown, unknown>(fieldChanges(before, after), expected);
  },
});

test('equal values do not differ', differs, { a: [1, { b: null }] }, { a: [1, { b: null }] }, []);
test('names the deepest fields, sorted', differs, { z: 1, a: { b: 1, c: 2 } }, { z: 2, a: { b: 1, c: 3, d: null } }, [
  { path: 'a.c', before: 2, after: 3 },
  { path: 'a.d', after: null },
  { path: 'z', before: 1, after: 2 },
]);
test('quotes names that are not words', differs, { 'a.b/c': 1 }, {}, [{ path: '["a.b/c"]', before: 1 }]);
test('compares lists by position', differs, { l: [1, 2] }, { l: [1, 3, 4] }, [
  { path: 'l[1]', before: 2, after: 3 },
  { path: 'l[2]', after: 4 },
]);
test(
  'compares lists of named items by name',
  differs,
  [{ name: 'a', v: 1 }, { name: 'b' }],
  [{ name: 'b' }, { name: 'a', v: 2 }],
  [{ path: '[name=a].v', before: 1, after: 2 }],
);
test('a field of another type is one change', differs, { a: [1] }, { a: { b: 1 } }, [
  { path: 'a', before: [1], after: { b: 1 } },
]);
const exact = 9_007_199_254_740_993n;
test(
  'an integer of a manifest is equal to the rounded one of the API server',
  differs,
  { a: exact },
  { a: 2 ** 53 },
  [],
);
test('integers of manifests are compared exactly', differs, { a: exact, b: exact }, { a: exact, b: exact + 2n }, [
  { path: 'b', before: Number(exact), after: Number(exact + 2n) },
]);
test('large integers in what is added are rounded', differs, {}, { a: { b: [exact] } }, [
  { path: 'a', after: { b: [Number(exact)] } },
]);
test('keys of the prototype are fields like others', differs, {}, JSON.parse('{"__proto__": 1}'), [
  { path: '__proto__', after: 1 },
]);
