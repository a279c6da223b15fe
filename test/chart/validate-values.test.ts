import test from 'ava';
import type { Chart } from '../../src/chart/chart.ts';
import type { Schema } from '../../src/chart/schema/schema.ts';
import { validateValues } from '../../src/chart/validate-values.ts';
import { ValuesError } from '../../src/chart/values-error.ts';
import { toBytes } from '../../src/go/text.ts';
import type { Value } from '../../src/go/value.ts';
import { readYamlMap } from '../../src/yaml/read.ts';

function chart(name: string, schema: string | undefined, dependencies: Chart[] = []): Chart {
  const metadata = { apiVersion: 'v2', name, version: '1.0.0' };
  const rest = { values: new Map(), templates: [], files: [], dependencies, digest: '' };
  return { metadata, ...rest, ...(schema !== undefined && { schema: toBytes(schema) }) };
}

function check(root: Chart, yaml: string): () => void {
  return () => {
    validateValues(root, readYamlMap(yaml) ?? new Map<string, Value>());
  };
}

const needsA = '{"required": ["a"]}';
const start = "values don't meet the specifications of the schema(s) in the following chart(s):\n";

test('takes values that fit, and subcharts without values', (t) => {
  t.notThrows(check(chart('c', needsA, [chart('s', needsA)]), 'a: 1'));
});

test('names every chart whose values do not fit', (t) => {
  const message = `${start}c:\n- at '': missing property 'a'\ns:\n- at '': missing property 'a'\n`;
  t.throws(check(chart('c', needsA, [chart('s', needsA)]), 's: {}'), { instanceOf: ValuesError, message });
});

test('a schema that is no JSON is an error of its chart', (t) => {
  t.throws(check(chart('c', '{'), ''), { message: `${start}c:\nunexpected EOF` });
});

test('values of a subchart must be a map', (t) => {
  const message = `${start}s:\ninvalid type for values: expected object (map), got string\n`;
  t.throws(check(chart('c', undefined, [chart('s', needsA)]), 's: x'), { message });
});

test('a schema whose text was compiled before is not compiled again', (t) => {
  const schemas = new Map<string, Schema>();
  validateValues(chart('c', needsA), readYamlMap('a: 1') ?? new Map<string, Value>(), schemas);
  t.true(schemas.has(needsA));
  schemas.set(needsA, { location: '', draft: 2020, bool: false });
  t.throws(
    () => {
      validateValues(chart('d', needsA), readYamlMap('a: 1') ?? new Map<string, Value>(), schemas);
    },
    { message: `${start}d:\n- at '': false schema\n` },
  );
});
