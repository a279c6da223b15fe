import test from 'ava';
import { isParsableJson, JsonTextError, parseJson } from '../../src/protocol/json.ts';
import fc from '../support/fast-check.ts';

test('parses every JSON text below the limits', (t) => {
  t.notThrows(() => fc.assert(fc.property(fc.json(), (text) => t.deepEqual(parseJson(text), JSON.parse(text)))));
});

const refuses = test.macro({
  exec: (t, text: string, message: string) => {
    t.throws(() => parseJson(text), { instanceOf: JsonTextError, message });
  },
  title: (name) => `refuses ${name ?? ''}`,
});

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const fields = (count: number) => `{${Array.from({ length: count }, (_, index) => `"${index}":0`).join(',')}}`;

test('text that is not JSON', refuses, '{"a":', 'must be JSON text');
test('a text that is too deep', refuses, nested(1101), 'must not be nested more than 1100 levels deep');
test('too many values', refuses, `[${'0,'.repeat(200_000)}0]`, 'must not have more than 200000 values');
test('too many fields', refuses, fields(50_001), 'must not have more than 50000 fields');
test('text without an end', refuses, `["${'\\"'.repeat(1000)}`, 'must be JSON text');

test('brackets, commas and colons in strings do not count', (t) => {
  const text = JSON.stringify(['[{'.repeat(1000), ',:"\\'.repeat(100_000)]);
  t.deepEqual(parseJson(text), JSON.parse(text));
  t.deepEqual(parseJson(nested(200)), JSON.parse(nested(200)));
});

test('the limits leave room for what surrounds a text', (t) => {
  t.true(isParsableJson(nested(1098), 2));
  t.false(isParsableJson(nested(1099), 2));
});
