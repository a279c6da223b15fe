import test from 'ava';
import { Complex, goTypeOf, isList, isMap, kindOf, truth } from '../../src/go/types.ts';
import { Int, int, int64, NamedMap, Slice, type Value } from '../../src/go/value.ts';
import { SampleObject } from './sample-object.ts';

const value = test.macro({
  exec(t, given: Value, type: string, kind: string, isTrue: boolean) {
    t.is(goTypeOf(given), type);
    t.is(kindOf(given), kind);
    t.is(truth(given), isTrue);
  },
  title: (name = '', _given: Value, type: string, kind: string, isTrue: boolean) =>
    `${name} has type ${type}, kind ${kind} and counts as ${isTrue}`,
});

test('nil', value, null, '<nil>', 'invalid', false);
test('true', value, true, 'bool', 'bool', true);
test('zero', value, 0, 'float64', 'float64', false);
test('NaN', value, Number.NaN, 'float64', 'float64', true);
test('an int', value, int(0), 'int', 'int', false);
test('an int64', value, int64(5), 'int64', 'int64', true);
test('a byte', value, new Int('uint8', 7n), 'uint8', 'uint8', true);
test('an empty string', value, '', 'string', 'string', false);
test('bytes', value, Uint8Array.of(1), '[]uint8', 'slice', true);
test('a list', value, [1], '[]interface {}', 'slice', true);
test('strings', value, new Slice('string', []), '[]string', 'slice', false);
test('a map', value, new Map(), 'map[string]interface {}', 'map', false);
test('values', value, new NamedMap('common.Values', [['a', 1]]), 'common.Values', 'map', true);
test('a struct', value, new SampleObject({}), 'sample.Type', 'struct', true);
test(
  'a duration',
  value,
  new SampleObject({ goType: 'time.Duration', kind: 'int64', underlying: int64(0) }),
  'time.Duration',
  'int64',
  false,
);
test('a named map', value, new SampleObject({ kind: 'map', contents: new Map() }), 'sample.Type', 'map', false);
test('a complex zero', value, new Complex(0, 0), 'complex128', 'complex128', false);
test('a complex number', value, new Complex(0, 1), 'complex128', 'complex128', true);

test('distinguishes lists and maps', (t) => {
  t.true(isList([]));
  t.true(isList(new Slice('int', [])));
  t.false(isList(new Uint8Array()));
  t.true(isMap(new Map()));
  t.false(isMap([]));
  t.false(isMap(undefined));
});
