import test from 'ava';
import { ChartError, type ChartErrorCode } from '../../../src/chart/chart-error.ts';
import { type ChartLimits, defaultChartLimits } from '../../../src/chart/limits.ts';
import { loadArchive } from '../../../src/chart/load/load-archive.ts';
import { archiveOf, chartYaml, type Entry } from '../archive.ts';

test('loads a chart with its values, templates, files, schema, lock and subcharts', async (t) => {
  const nested = await archiveOf({ 'packed/Chart.yaml': chartYaml('packed'), 'packed/values.yaml': 'p: 1' });
  const chart = await loadArchive(
    await archiveOf({
      'c/Chart.yaml': `\ufeff${chartYaml('c', 'appVersion: 1.10\ndeprecated: yes\nkeywords: [a, 1]\nannotations: {k: 1}\n')}`,
      'c/values.yaml': 'a: 1\n---\nb: ~\n',
      'c/values.schema.json': '{}',
      'c/Chart.lock': 'digest: sha256:x\ngenerated: "2020-01-01T00:00:00Z"\ndependencies: []\n',
      'c/templates/a.yaml': 'x',
      'c/README.md': 'readme',
      'c/crds/b.yaml': 'crd',
      'c/charts/sub/Chart.yaml': chartYaml('sub'),
      'c/charts/sub/templates/s.yaml': 's',
      'c/charts/packed-1.0.0.tgz': nested,
      'c/charts/_ignored/Chart.yaml': 'no chart',
      'c/charts/packed-1.0.0.tgz.prov': 'signature',
    }),
  );
  t.deepEqual(chart.metadata, {
    apiVersion: 'v2',
    name: 'c',
    version: '1.0.0',
    appVersion: '1.1',
    deprecated: true,
    keywords: ['a', '1'],
    annotations: { k: '1' },
  });
  t.deepEqual(
    chart.values,
    new Map<string, unknown>([
      ['a', 1],
      ['b', null],
    ]),
  );
  t.deepEqual(
    chart.templates.map(({ name }) => name),
    ['templates/a.yaml'],
  );
  t.deepEqual(
    chart.files.map(({ name }) => name),
    ['README.md', 'crds/b.yaml', 'charts/packed-1.0.0.tgz.prov'],
  );
  t.deepEqual(
    chart.dependencies.map(({ metadata }) => metadata.name),
    ['sub', 'packed'],
  );
  t.is(chart.dependencies[1]?.values.get('p'), 1);
  t.is(chart.lock?.['digest'], 'sha256:x');
  t.truthy(chart.schema);
  t.regex(chart.digest, /^[0-9a-f]{64}$/);
});

test('a v1 chart reads its dependencies from requirements.yaml and keeps the file', async (t) => {
  const chart = await loadArchive(
    await archiveOf({
      'c/Chart.yaml': 'name: c\nversion: 1.0.0\n',
      'c/requirements.yaml':
        'dependencies:\n- {name: d, version: ">=1", repository: "https://r", import-values: [x, {child: a, parent: b}]}\n',
    }),
  );
  t.is(chart.metadata.apiVersion, 'v1');
  t.deepEqual(chart.metadata.dependencies, [
    {
      name: 'd',
      version: '>=1',
      repository: 'https://r',
      importValues: [
        'x',
        new Map([
          ['child', 'a'],
          ['parent', 'b'],
        ]),
      ],
    },
  ]);
  t.deepEqual(
    chart.files.map(({ name }) => name),
    ['requirements.yaml'],
  );
});

test('two charts have the same digest only if all their files are equal', async (t) => {
  const digest = async (values: string): Promise<string> =>
    (await loadArchive(await archiveOf({ 'c/Chart.yaml': chartYaml('c'), 'c/values.yaml': values }))).digest;
  t.is(await digest('a: 1'), await digest('a: 1'));
  t.not(await digest('a: 1'), await digest('a: 2'));
});

const refuses = test.macro({
  title: (_, what: string) => `rejects ${what}`,
  async exec(t, _what: string, entries: Record<string, Entry>, code: ChartErrorCode, message: string) {
    const error = await t.throwsAsync(loadArchive(await archiveOf(entries)), { instanceOf: ChartError });
    t.is(error.code, code);
    t.is(error.message, message);
  },
});
const c = { 'c/Chart.yaml': chartYaml('c') };

test(refuses, 'an archive without Chart.yaml', { 'c/values.yaml': '' }, 'chart_invalid', 'Chart.yaml file is missing');
test(refuses, 'an empty archive', {}, 'chart_invalid', 'no files in chart archive');
test(
  refuses,
  'paths with a parent directory',
  { ...c, 'c/../../x': '' },
  'chart_invalid',
  'chart illegally references parent directory',
);
test(
  refuses,
  'paths with a parent directory and backslashes',
  { ...c, 'c\\..\\..\\x': '' },
  'chart_invalid',
  'chart illegally references parent directory',
);
test(refuses, 'absolute paths', { ...c, 'c//etc/x': '' }, 'chart_invalid', 'chart illegally contains absolute paths');
test(refuses, 'paths with a drive', { ...c, 'c/c:/x': '' }, 'chart_invalid', 'chart contains illegally named files');
test(
  refuses,
  "files outside the chart's folder",
  { file: '' },
  'chart_invalid',
  'chart illegally contains content outside the base directory: "file"',
);
test(refuses, 'a Chart.yaml at the top', { 'Chart.yaml/x': '' }, 'chart_invalid', 'chart yaml not in base directory');
test(
  refuses,
  'links',
  { ...c, 'c/templates/l': { header: { type: 'symlink', linkname: '/etc/passwd' } } },
  'chart_invalid',
  `the chart archive contains a link, which is not allowed: "c/templates/l"`,
);
test(
  refuses,
  'hard links',
  { ...c, 'c/l': { header: { type: 'link', linkname: 'c/Chart.yaml' } } },
  'chart_invalid',
  `the chart archive contains a link, which is not allowed: "c/l"`,
);
test(
  refuses,
  'a file that is too large',
  { ...c, 'c/f': 'x'.repeat(5 * 1024 * 1024 + 1) },
  'too_large',
  'decompressed chart file "c/f" is larger than the maximum file size 5242880',
);
test(
  refuses,
  'a broken subchart',
  { ...c, 'c/charts/s/Chart.yaml': 'name: s' },
  'chart_invalid',
  'error unpacking subchart s in c: validation: chart.metadata.version is required',
);
test(
  refuses,
  'an invalid subchart archive',
  { ...c, 'c/charts/s.tgz': 'text' },
  'chart_invalid',
  'error unpacking subchart s.tgz in c: the chart does not appear to be a gzipped archive',
);

const invalid = test.macro({
  title: (_, yaml: string) => `rejects the Chart.yaml ${JSON.stringify(yaml)}`,
  async exec(t, yaml: string, message: string) {
    const error = await t.throwsAsync(loadArchive(await archiveOf({ 'c/Chart.yaml': yaml })), {
      instanceOf: ChartError,
    });
    t.is(error.message, message);
  },
});
const decoding = 'cannot load Chart.yaml: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal';

test(invalid, 'version: 1.0.0', 'validation: chart.metadata.name is required');
test(invalid, 'name: c', 'validation: chart.metadata.version is required');
test(invalid, 'name: ..\nversion: 1.0.0', 'validation: chart.metadata.name ".." is not allowed');
test(invalid, 'name: a/b\nversion: 1.0.0', 'validation: chart.metadata.name "a/b" is invalid');
test(invalid, 'name: c\nversion: x', 'validation: chart.metadata.version "x" is invalid');
test(invalid, 'name: c\nversion: 1.0.0\ntype: x', 'validation: chart.metadata.type must be application or library');
test(
  invalid,
  'name: c\nversion: 1.0.0\nmaintainers: [~]',
  'validation: maintainers must not contain empty or null nodes',
);
test(
  invalid,
  'name: c\nversion: 1.0.0\ndependencies: [~]',
  'validation: dependencies must not contain empty or null nodes',
);
test(
  invalid,
  'name: c\nversion: 1.0.0\ndependencies: [{name: d, alias: a.b}]',
  'validation: dependency "d" has disallowed characters in the alias',
);
test(
  invalid,
  'name: c\nversion: 1.0.0\ndependencies: [{name: d}, {name: e, alias: d}]',
  'validation: more than one dependency with name or alias "d"',
);
test(invalid, 'name: [c]', `${decoding} array into Go struct field Metadata.name of type string`);
test(invalid, 'keywords: {a: 1}', `${decoding} object into Go struct field Metadata.keywords of type []string`);
test(
  invalid,
  'maintainers: [{name: {}}]',
  `${decoding} object into Go struct field Maintainer.maintainers.name of type string`,
);
// of several wrong fields, the first one by name is reported, in any case (helm show chart)
test(invalid, 'deprecated: 1', `${decoding} number into Go struct field Metadata.deprecated of type bool`);
test(invalid, 'name: [c]\nhome: {}', `${decoding} object into Go struct field Metadata.home of type string`);
test(
  invalid,
  'Keywords: 5\nkeywords: [a]',
  `${decoding} number into Go struct field Metadata.keywords of type []string`,
);
test(invalid, 'deprecated: "yes"', `${decoding} string into Go struct field Metadata.deprecated of type bool`);
test(
  invalid,
  'name: [',
  'cannot load Chart.yaml: error converting YAML to JSON: yaml: line 1: did not find expected node content',
);

test('rejects data that is not gzip, is truncated or is not tar', async (t) => {
  const whole = await archiveOf({ ...c, 'c/f': 'x'.repeat(100_000) });
  for (const bytes of [
    Buffer.from('<html>'),
    Buffer.alloc(0),
    whole.subarray(0, whole.length / 2),
    (await import('node:zlib')).gzipSync('x'.repeat(2000)),
  ]) {
    const error = await t.throwsAsync(loadArchive(bytes), { instanceOf: ChartError });
    t.is(error.code, 'chart_invalid');
  }
});

test('rejects a decompression bomb before it fills memory', async (t) => {
  const zeros = new Uint8Array(4 * 1024 * 1024);
  const files = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`c/f${i}`, zeros]));
  const error = await t.throwsAsync(loadArchive(await archiveOf({ ...c, ...files })), { instanceOf: ChartError });
  t.is(error.code, 'too_large');
  t.regex(error.message, /unpacks to more than 200 times its size/);
});

test('applies the limits to nested archives, too', async (t) => {
  const nested = await archiveOf({ 's/Chart.yaml': chartYaml('s'), 's/f': 'x'.repeat(600) });
  const archive = await archiveOf({ ...c, 'c/charts/s.tgz': nested, 'c/f': 'y'.repeat(600) });
  const limits = { ...defaultChartLimits, chartBytes: 1300 };
  const error = await t.throwsAsync(loadArchive(archive, { limits }), { instanceOf: ChartError });
  t.is(error.code, 'too_large');
  t.regex(
    error.message,
    /^error unpacking subchart s.tgz in c: decompressed chart is larger than the maximum size 1300$/,
  );
});

test('rejects an archive with too many entries', async (t) => {
  const error = await t.throwsAsync(
    loadArchive(await archiveOf({ ...c, 'c/a': '', 'c/b': '' }), { limits: { ...defaultChartLimits, entries: 2 } }),
    { instanceOf: ChartError },
  );
  t.is(error.code, 'too_large');
});

test('stops when its signal is aborted', async (t) => {
  const reason = new Error('stop');
  const archive = await archiveOf({ ...c });
  await t.throwsAsync(loadArchive(archive, { signal: AbortSignal.abort(reason) }), { is: reason });
});

const exceeds = test.macro({
  title: (_, what: string) => `rejects ${what}`,
  async exec(t, _what: string, limits: Partial<ChartLimits>, entries: Record<string, Entry>, message: RegExp) {
    const archive = await archiveOf({ ...c, ...entries });
    const error = await t.throwsAsync(loadArchive(archive, { limits: { ...defaultChartLimits, ...limits } }), {
      instanceOf: ChartError,
    });
    t.is(error.code, 'too_large');
    t.regex(error.message, message);
  },
});
const numbered = (count: number, prefix: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, '']));
const folder = { header: { type: 'directory' } } as const;

test(exceeds, 'more files than allowed', { entries: 100 }, numbered(200, 'c/f'), /more than 100 files/);
test(
  exceeds,
  'more folders than files allowed',
  { entries: 100 },
  Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`c/d${i}/`, folder])),
  /more than 100 files/,
);
test(
  exceeds,
  'a file that exceeds its limit',
  { fileBytes: 10 },
  { 'c/f': 'x'.repeat(1000) },
  /larger than the maximum file size 10/,
);
test(
  exceeds,
  'files that exceed the total limit',
  { chartBytes: 1000 },
  { 'c/f': 'x'.repeat(600), 'c/g': 'x'.repeat(600) },
  /larger than the maximum size 1000/,
);
test(
  exceeds,
  'an archive that exceeds the compression ratio',
  { compressionRatio: 5 },
  Object.fromEntries(Array.from({ length: 5 }, (_, i) => [`c/f${i}`, 'x'.repeat(4 * 1024 * 1024)])),
  /more than 5 times its size/,
);

test('handles an archive with very long names in bounded time', async (t) => {
  const name = `c/${'n'.repeat(200)}/`.repeat(1);
  const chart = await loadArchive(await archiveOf({ ...c, [`${name}${'x'.repeat(5000)}`]: 'a' }));
  t.is(chart.files.length, 1);
});

for (const type of ['character-device', 'block-device', 'fifo', 'contiguous-file'] as const) {
  test(`an entry of type ${type} neither writes a file nor makes a chart larger than its limits`, async (t) => {
    const loaded = await loadArchive(await archiveOf({ ...c, 'c/f': { header: { type } } }));
    t.true(loaded.files.every(({ data }) => data.length === 0));
  });
}

test(
  exceeds,
  'more charts than allowed',
  { charts: 4 },
  Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`c/charts/s${i}/Chart.yaml`, chartYaml(`s${i}`)])),
  /^error unpacking subchart s3 in c: there are more than 4 charts$/,
);
test(
  exceeds,
  'subcharts that are nested deeper than allowed',
  { chartDepth: 3 },
  Object.fromEntries([1, 2, 3].map((depth) => [`c/${'charts/s/'.repeat(depth)}Chart.yaml`, chartYaml('s')])),
  /^error unpacking subchart s in c: error .* in s: error .* in s: subcharts are nested deeper than 3$/,
);

const invalidLock = test.macro({
  title: (_, lock: string) => `rejects the Chart.lock ${JSON.stringify(lock)}`,
  async exec(t, lock: string, message: string) {
    const archive = await archiveOf({ 'c/Chart.yaml': 'name: c\nversion: 1.0.0\n', 'c/Chart.lock': lock });
    await t.throwsAsync(loadArchive(archive), {
      code: 'chart_invalid',
      message: `cannot load Chart.lock: error unmarshaling JSON: while decoding JSON: ${message}`,
    });
  },
});

// helm dependency list CHART
test(invalidLock, 'generated: 5', 'Time.UnmarshalJSON: input is not a JSON string');
test(invalidLock, 'digest: [a]\ngenerated: []', 'Time.UnmarshalJSON: input is not a JSON string');
test(invalidLock, 'generated: "2020"', 'parsing time "2020" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "-"');
