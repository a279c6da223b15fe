import test from 'ava';
import type { Chart } from '../../src/chart/chart.ts';
import { ChartError } from '../../src/chart/chart-error.ts';
import type { ChartDependency } from '../../src/chart/metadata/metadata.ts';
import { processDependencies } from '../../src/chart/process-dependencies.ts';
import { coalesceValues, mergeValues } from '../../src/chart/values/coalesce.ts';
import { ValuesError } from '../../src/chart/values/values-error.ts';
import { encodeJson } from '../../src/go/json-encode.ts';
import type { Value, ValueMap } from '../../src/go/value.ts';
import { readYamlMap } from '../../src/yaml/read.ts';

function values(yaml: string): ValueMap {
  return readYamlMap(yaml) ?? new Map<string, Value>();
}

function chart(name: string, yaml: string, children: Chart[] = [], wants: Partial<ChartDependency>[] = []): Chart {
  const dependencies = wants.map((want) => ({ name: '', version: '*', repository: '', ...want }));
  const metadata = { apiVersion: 'v2', name, version: '1.0.0', ...(wants.length > 0 && { dependencies }) };
  return { metadata, values: values(yaml), templates: [], files: [], dependencies: children, digest: name };
}

function json(value: Value): string {
  return encodeJson(value, { escapeHtml: false });
}

const coalesces = test.macro({
  title: (_, rule: string) => rule,
  exec(t, _rule: string, root: Chart, user: string, expected: string, warnings: string[] = []) {
    const before = json(root.values);
    const seen: string[] = [];
    t.is(json(coalesceValues(root, values(user), (warning) => seen.push(warning))), expected);
    t.deepEqual(seen, warnings);
    t.is(json(root.values), before);
  },
});

test(
  coalesces,
  'user values take precedence, maps are merged, lists are replaced',
  chart('c', 'a: {x: 1, v: 1}\nl: [1, 2]'),
  'a: {x: 2}\nl: [3]',
  '{"a":{"v":1,"x":2},"l":[3]}',
);
test(
  coalesces,
  "a user's null deletes a default",
  chart('c', 'a: 1\nb: {x: 1, v: 1}'),
  'a: ~\nb: {x: ~}',
  '{"b":{"v":1}}',
);
test(
  coalesces,
  "a user's null stays if the chart has no value to delete",
  chart('c', 'b: {v: 1}'),
  'm: ~\nb: {x: ~}',
  '{"b":{"v":1,"x":null},"m":null}',
);
test(coalesces, 'removes nulls from defaults', chart('c', 'a: ~\nb: {x: ~, v: 1}'), '', '{"b":{"v":1}}');
test(
  coalesces,
  'a subchart gets its defaults, those of its parent and the globals',
  chart('c', 's: {a: 2}\nglobal: {g: 1}', [chart('s', 'a: 1\nb: 1\nglobal: {h: 1}')]),
  '',
  '{"global":{"g":1},"s":{"a":2,"b":1,"global":{"g":1,"h":1}}}',
);
test(
  coalesces,
  "a parent's null does not delete a subchart's default, the user's does",
  chart('c', 's: {a: ~}', [chart('s', 'a: 1\nb: 1')]),
  's: {b: ~}',
  '{"s":{"global":{}}}',
);
test(
  coalesces,
  'does not merge a map with another value, and warns',
  chart('c', 'a: {x: {v: 1}}\nb: 1'),
  'a: {x: 5}\nb: {z: 1}',
  '{"a":{"x":5},"b":{"z":1}}',
  [
    'warning: cannot overwrite table with non table for c.a.x (map[v:1])',
    'warning: skipped value for c.b: Not a table.',
  ],
);

test('merging keeps nulls', (t) => {
  t.is(json(mergeValues(chart('c', 'a: 1\nb: ~'), values('a: ~'), t.fail)), '{"a":null,"b":null}');
});

test('rejects subchart values that are not a map', (t) => {
  t.throws(() => coalesceValues(chart('c', '', [chart('s', '')]), values('s: text'), t.fail), {
    instanceOf: ValuesError,
    message: 'type mismatch on s: %!t(string=text)',
  });
});

const enables = test.macro({
  title: (_, rule: string) => rule,
  exec(t, _rule: string, root: Chart, user: string, names: string[]) {
    const processed = processDependencies(root, values(user), t.fail);
    t.deepEqual(
      processed.dependencies.map(({ metadata }) => metadata.name),
      names,
    );
    t.not(processed, root);
  },
});
const pair = [chart('a', ''), chart('b', '')];

test(enables, 'keeps subcharts that are not listed as dependencies', chart('c', '', pair), '', ['a', 'b']);
test(
  enables,
  'a condition disables a subchart',
  chart('c', 'a: {enabled: false}', pair, [{ name: 'a', condition: 'a.enabled' }, { name: 'b' }]),
  '',
  ['b'],
);
test(
  enables,
  'the first condition that is a boolean decides',
  chart('c', 'x: text\nz: false', pair, [{ name: 'a', condition: 'w,z,a.active' }, { name: 'b' }]),
  'a: {active: true}',
  ['b'],
);
test(
  enables,
  'a condition overrides tags',
  chart('c', 'tags: {t: false}\nactive: true', pair, [
    { name: 'a', tags: ['t'], condition: 'active' },
    { name: 'b', tags: ['t'] },
  ]),
  '',
  ['a'],
);
test(
  enables,
  'one enabled tag is enough',
  chart('c', '', pair, [
    { name: 'a', tags: ['t', 'u'] },
    { name: 'b', tags: ['t'] },
  ]),
  'tags: {t: false, u: true}',
  ['a'],
);
test(
  enables,
  'aliases make copies, several from one chart if needed',
  chart(
    'c',
    '',
    [chart('a', 'v: 1')],
    [
      { name: 'a', alias: 'one' },
      { name: 'a', alias: 'two' },
    ],
  ),
  '',
  ['one', 'two'],
);
/** Returns a chart whose dependency has aliases, down to a depth. */
function aliased(depth: number, aliases: number): Chart {
  if (depth === 0) return chart('s', '');
  const dependencies = Array.from({ length: aliases }, (_, i) => ({ name: 's', alias: `a${i}` }));
  return chart('s', '', [aliased(depth - 1, aliases)], dependencies);
}

test('refuses a chart whose copies under aliases are more than 1,000, before it makes them', (t) => {
  t.notThrows(() => processDependencies(aliased(2, 30), new Map(), t.fail));
  for (const [depth, aliases] of [[2, 40] as const, [5, 40] as const, [1, 1001] as const]) {
    const error = t.throws(() => processDependencies(aliased(depth, aliases), new Map(), t.fail), {
      instanceOf: ChartError,
      code: 'too_large',
    });
    t.regex(error.message, /^s(?:\/charts\/a\d+)*: with its dependencies, the chart has more than 1000 charts$/);
  }
  t.throws(() => processDependencies(aliased(1, 6), new Map(), t.fail, 6), { code: 'too_large' });
  t.notThrows(() => processDependencies(aliased(1, 5), new Map(), t.fail, 6));
});

test('copies of one chart share the metadata below their own subcharts, as in Helm', (t) => {
  const grandchild = () =>
    chart('t', 'u: {exports: {e: {k: 1}}}', [chart('u', '')], [{ name: 'u', importValues: ['e'] }]);
  const twice = [
    { name: 's', alias: 'one' },
    { name: 's', alias: 'two' },
  ];
  const processed = processDependencies(
    chart('c', '', [chart('s', '', [grandchild()])], twice),
    new Map(),
    () => undefined,
  );
  const values = coalesceValues(processed, new Map(), () => undefined);
  const tables = ['one', 'two'].map((name) => values.get(name) as ValueMap).map((table) => table.get('t') as ValueMap);
  t.deepEqual(
    tables.map((table) => table.has('k')),
    [true, false],
  );
});
test(
  enables,
  'ignores a subchart whose version is out of range',
  chart('c', '', [chart('a', '')], [{ name: 'a', version: '>2', condition: 'off' }]),
  'off: false',
  ['a'],
);

const imports = test.macro({
  title: (_, rule: string) => rule,
  exec(t, _rule: string, importValues: Value[], own: string, expected: string, warnings: string[] = []) {
    const root = chart(
      'c',
      own,
      [chart('s', 'exports: {e: {k: 1, m: {q: 1}}}\ndata: {d: 1}')],
      [{ name: 's', importValues }],
    );
    const seen: string[] = [];
    const processed = processDependencies(root, new Map(), (...warning) => seen.push(JSON.stringify(warning)));
    processed.values.delete('s');
    t.is(json(processed.values), expected);
    t.deepEqual(seen, warnings);
  },
});

test(imports, 'imports what a subchart exports', ['e'], 'own: 1', '{"k":1,"m":{"q":1},"own":1}');
test(imports, "the parent's own values take precedence over imported ones", ['e'], 'k: 2', '{"k":2,"m":{"q":1}}');
test(
  imports,
  'imports a table to a path',
  [
    new Map([
      ['child', 'data'],
      ['parent', 'x.y'],
    ]),
  ],
  '',
  '{"x":{"y":{"d":1}}}',
);
test(
  imports,
  'warns about imports that the subchart does not have',
  [
    'nope',
    'e',
    new Map([
      ['child', 'data.d'],
      ['parent', 'x'],
    ]),
  ],
  'a: 1',
  '{"a":1,"k":1,"m":{"q":1}}',
  [
    '["ImportValues missing table",{"error":"\\"nope\\" is not a table"}]',
    '["ImportValues missing table from chart",{"chart":"s","error":"\\"d\\" is not a table"}]',
  ],
);

test('warns about evaluated tags and conditions that are not booleans', (t) => {
  const root = chart('c', 'p: text\nq: true\nr: 1\ntags: {t: on it}', pair, [
    { name: 'a', condition: 'o,p,q,r', tags: ['t', 'u'] },
  ]);
  const seen: string[] = [];
  processDependencies(root, new Map(), (...warning) => seen.push(JSON.stringify(warning)));
  t.deepEqual(seen, [
    '["returned non-bool value",{"tag":"t","chart":"a"}]',
    '["returned non-bool value",{"path":"p","chart":"a"}]',
  ]);
});

test('the digest depends on the enabled subcharts', (t) => {
  const root = chart('c', '', pair, [{ name: 'a', condition: 'a.active' }, { name: 'b' }]);
  const digest = (user: string): string => processDependencies(root, values(user), t.fail).digest;
  t.not(digest('a: {active: true}'), digest('a: {active: false}'));
  t.is(digest('a: {active: true}'), digest('a: {active: true}\nx: 1'));
});
