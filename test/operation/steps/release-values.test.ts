import test from 'ava';
import { reusedConfig } from '../../../src/operation/steps/release-values.ts';

test('the values of a revision get the nulls of the upgrade that has reused them', (t) => {
  const config = { kept: 1, deleted: 1, table: { kept: 1, deleted: 1, list: [null] }, scalar: 1, map: { a: 1 } };
  const merged = { kept: 2, added: 1, none: null, table: { kept: 1, list: [] }, scalar: { a: 1 }, map: 1 };
  t.deepEqual(reusedConfig(config, merged), {
    ...config,
    deleted: null,
    none: null,
    table: { kept: 1, deleted: null, list: [null] },
  });
  t.is(config.deleted, 1);
});

test('keys that objects inherit are like all others', (t) => {
  const config = JSON.parse('{"__proto__":{"a":1,"b":1},"constructor":1}') as Record<string, unknown>;
  const merged = JSON.parse('{"__proto__":{"a":1}}') as Record<string, unknown>;
  t.is(JSON.stringify(reusedConfig(config, merged)), '{"__proto__":{"a":1,"b":null},"constructor":null}');
  t.is(JSON.stringify(reusedConfig({ a: 1 }, {})), '{"a":null}');
});

test('values can be nested as deeply as JSON allows', (t) => {
  const depth = 10_000;
  const config = JSON.parse('{"a":'.repeat(depth) + '1' + '}'.repeat(depth)) as Record<string, unknown>;
  let inner: unknown = reusedConfig(config, config);
  for (let level = 0; level < depth; level++) inner = (inner as Record<string, unknown>)['a'];
  t.is(inner, 1);
});
