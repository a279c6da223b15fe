import test from 'ava';
import type { Chart } from '../../../src/chart/chart.ts';
import type { Schema } from '../../../src/chart/schema/schema.ts';
import { validateValues } from '../../../src/chart/values/validate-values.ts';
import { ValuesError } from '../../../src/chart/values/values-error.ts';
import { LimitError } from '../../../src/go/limit-error.ts';
import { toBytes } from '../../../src/go/text.ts';
import type { Value } from '../../../src/go/value.ts';
import { readYamlMap } from '../../../src/yaml/read.ts';

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

test('accepts valid values, and subcharts without values', (t) => {
  t.notThrows(check(chart('c', needsA, [chart('s', needsA)]), 'a: 1'));
});

test('lists every chart with invalid values', (t) => {
  const message = `${start}c:\n- at '': missing property 'a'\ns:\n- at '': missing property 'a'\n`;
  t.throws(check(chart('c', needsA, [chart('s', needsA)]), 's: {}'), { instanceOf: ValuesError, message });
});

test('reports a schema that is not JSON as an error of its chart', (t) => {
  t.throws(check(chart('c', '{'), ''), { message: `${start}c:\nunexpected EOF` });
});

test('requires the values of a subchart to be a map', (t) => {
  const message = `${start}s:\ninvalid type for values: expected object (map), got string\n`;
  t.throws(check(chart('c', undefined, [chart('s', needsA)]), 's: x'), { message });
});

test('compiles schemas with the same text only once', (t) => {
  const schemas = new Map<string, Schema>();
  validateValues(chart('c', needsA), readYamlMap('a: 1') ?? new Map<string, Value>(), { schemas });
  t.true(schemas.has(needsA));
  schemas.set(needsA, { location: '', draft: 2020, bool: false });
  t.throws(
    () => {
      validateValues(chart('d', needsA), readYamlMap('a: 1') ?? new Map<string, Value>(), { schemas });
    },
    { message: `${start}d:\n- at '': false schema\n` },
  );
});

const elsewhere = 'https://schemas.example/image.json';
const refersElsewhere = `{"properties": {"image": {"$ref": "${elsewhere}#/$defs/image"}}}`;

const checkWith = (remote: Record<string, string>, yaml: string) => () => {
  validateValues(chart('c', refersElsewhere), readYamlMap(yaml) ?? new Map<string, Value>(), { remote });
};

test('follows a reference to another host only if its schema is supplied', (t) => {
  const remote = { [elsewhere]: '{"$defs": {"image": {"$ref": "parts.json"}}}' };
  const all = { ...remote, 'https://schemas.example/parts.json': '{"required": ["tag"]}' };
  t.throws(checkWith({}, 'image: {}'), { message: /failing loading "https:\/\/schemas.example\/image.json": / });
  t.throws(checkWith(remote, 'image: {}'), { message: /failing loading "https:\/\/schemas.example\/parts.json": / });
  t.throws(checkWith(all, 'image: {}'), { message: `${start}c:\n- at '/image': missing property 'tag'\n` });
  t.notThrows(checkWith(all, 'image: {tag: v1}'));
});

test('rejects an invalid supplied schema', (t) => {
  t.throws(checkWith({ [elsewhere]: '{' }, ''), {
    message: `${start}c:\nfailing loading "${elsewhere}": unexpected EOF`,
  });
  t.throws(checkWith({ [elsewhere]: '{"$defs": {"image": {"type": 1}}}' }, ''), {
    message: /"https:\/\/schemas.example\/image.json#" is not valid against metaschema/,
  });
});

test('stops a schema that requires unbounded work', (t) => {
  const twice = (i: number) => ({ allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] });
  const definitions = Array.from({ length: 40 }, (_, i) => `"d${i}": ${JSON.stringify(i === 39 ? {} : twice(i))}`);
  const schema = `{"$defs": {${definitions.join(',')}}, "$ref": "#/$defs/d0"}`;
  t.throws(check(chart('c', schema), 'a: 1'), {
    instanceOf: LimitError,
    code: 'render_limit',
    message: 'values.schema.json: validation needs more than 1000000 comparisons',
  });
});

test('checks many unique items and many alternatives in bounded time', (t) => {
  const items = Array.from({ length: 20_000 }, (_, i) => `{a: ${i}}`).join(',');
  t.notThrows(check(chart('c', '{"properties": {"l": {"uniqueItems": true}}}'), `l: [${items}]`));
  const equal = check(chart('c', '{"properties": {"l": {"uniqueItems": true}}}'), `l: [${items},{a: 7}]`);
  t.throws(equal, { message: /items at 7 and 20,000 are equal/ });
});
