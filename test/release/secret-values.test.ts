import test from 'ava';
import { joinedPaths, maskedValues, secretTexts, valuePaths } from '../../src/release/secret-values.ts';

test('masks the values at paths, and finds their texts', (t) => {
  const config = { db: { password: 'p1', host: 'h' }, list: ['a', { b: 'c' }], 'x/y~z': 7, empty: {}, none: null };
  const paths = ['/db/password', '/list', '/x~1y~0z', '/missing', '/none'];
  t.deepEqual(maskedValues(config, paths), {
    db: { password: '***', host: 'h' },
    list: '***',
    'x/y~z': '***',
    empty: {},
    none: '***',
  });
  t.deepEqual(secretTexts({ config, secret_values: paths }).sort(), ['7', 'a', 'c', 'p1']);
  t.deepEqual(valuePaths(config).sort(), ['/db/host', '/db/password', '/list', '/none', '/x~1y~0z'].sort());
});

test('masks whole maps if values are too many, too deep, or have too long names', (t) => {
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`k${index}`, 'secret']));
  t.deepEqual(valuePaths({ a: many, b: 1 }).sort(), ['/a', '/b']);
  t.deepEqual(valuePaths(many), ['']);
  t.deepEqual(
    Object.values(maskedValues(many, [''])).filter((value) => value !== '***'),
    [],
  );
  t.deepEqual(valuePaths({ ['x'.repeat(2000)]: 1 }), ['']);
  let deep: object = { end: 'secret-at-the-end' };
  for (let level = 0; level < 20_000; level++) deep = { a: deep };
  const paths = valuePaths({ deep });
  t.is(paths.length, 1);
  t.deepEqual(secretTexts({ config: { deep }, secret_values: paths }), ['secret-at-the-end']);
  t.false(JSON.stringify(maskedValues({ deep }, paths)).includes('secret'));
  t.deepEqual(joinedPaths(valuePaths({ a: 1 }), Object.keys(many)), ['']);
});

test('paths that someone else wrote neither change prototypes nor take long', (t) => {
  const config = JSON.parse('{"__proto__": {"a": "secret"}, "constructor": "kept"}') as Record<string, unknown>;
  const masked = maskedValues(config, ['/__proto__/a', '/toString']);
  t.is(JSON.stringify(masked), '{"__proto__":{"a":"***"},"constructor":"kept"}');
  t.is(({} as Record<string, unknown>)['a'], undefined);
  const wide = { a: { b: { c: Array.from({ length: 100_000 }, (_, index) => index) } } };
  const overlapping = Array.from({ length: 1000 }, (_, index) => ['', '/a', '/a/b', '/a/b/c'][index % 4] ?? '');
  t.true(secretTexts({ config: wide, secret_values: overlapping }).length <= 2000);
});
