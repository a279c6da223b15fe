import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import {
  ChartError,
  createRenderer,
  type GivenValues,
  loadChart,
  type Lookup,
  renderChart,
  type RenderChartOptions,
  RenderError,
  ValuesError,
} from '../../src/render/index.ts';
import { TemplateSet } from '../../src/template/template-set.ts';
import { archiveOf } from '../bin/support/archive.ts';
import { fixedHost } from '../support/host.ts';

const chartYaml = 'apiVersion: v2\nname: app\nversion: 1.0.0\n';
const configMap = 'kind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\nsize: {{ .Values.size }}\n';
const files = { 'Chart.yaml': chartYaml, 'values.yaml': 'size: 1\n', 'templates/a.yaml': configMap };
const expected = '---\n# Source: app/templates/a.yaml\nkind: ConfigMap\nmetadata: {name: release-name}\nsize: 1\n\n';

function chartOf(template: string, more: Record<string, string> = {}): Record<string, string> {
  return { 'Chart.yaml': chartYaml, 'templates/a.yaml': template, ...more };
}

/** Renders a template and returns its text. */
async function renders(template: string, options?: RenderChartOptions): Promise<string> {
  return (await renderChart(chartOf('kind: A', { 'templates/NOTES.txt': template }), options)).notes;
}

test('loads a chart from a folder, an archive, bytes, a stream of bytes, or files', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-library-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const archive = await archiveOf(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`app/${name}`, text])),
  );
  const path = join(folder, 'app.tgz');
  await writeFile(path, archive);
  const unpacked = new URL('../../examples/charts/web', import.meta.url);
  t.is((await loadChart(unpacked)).metadata.name, 'web');
  t.is((await loadChart(unpacked.pathname)).metadata.name, 'web');
  for (const source of [
    path,
    pathToFileURL(path),
    archive,
    Readable.from([archive]),
    new Blob([archive]).stream(),
    files,
  ]) {
    t.is((await renderChart(source)).manifest, expected);
  }
});

test('names the path of a chart that does not exist', async (t) => {
  const message = 'chart /nope does not exist; pass the path of a chart folder or of a .tgz file';
  await t.throwsAsync(renderChart('/nope'), { instanceOf: ChartError, code: 'chart_not_found', message });
  await using renderer = createRenderer();
  await t.throwsAsync(renderer.render('/nope'), { instanceOf: ChartError, code: 'chart_not_found', message });
});

test('rejects a chart that is larger than the limits, without reading a stream to its end', async (t) => {
  await t.throwsAsync(
    loadChart(Readable.from([Buffer.alloc(11), Buffer.alloc(11)]), { chartLimits: { chartBytes: 20 } }),
    {
      code: 'too_large',
    },
  );
  const archive = await archiveOf({ 'app/Chart.yaml': chartYaml, 'app/a': 'a'.repeat(100) });
  await t.throwsAsync(loadChart(archive, { chartLimits: { fileBytes: 50 } }), { code: 'too_large' });
  await t.throwsAsync(loadChart({}), { code: 'chart_invalid', message: 'Chart.yaml file is missing' });
});

test('returns everything that a chart renders to', async (t) => {
  const hook =
    'kind: Job\nmetadata:\n  name: j\n  annotations: {helm.sh/hook: "pre-install,test", helm.sh/hook-weight: "5"}\n';
  const rendered = await renderChart(
    chartOf(configMap, {
      'templates/b.yaml': hook,
      'templates/NOTES.txt': 'Hi',
      'crds/c.yaml': 'kind: CRD\n',
      'values.yaml': 'other: 1',
    }),
    { release: { name: 'shop' }, values: { size: 2, other: { a: 1 } } },
  );
  t.deepEqual(rendered, {
    manifest: expected.replace('release-name', 'shop').replace('size: 1', 'size: 2'),
    manifests: [
      {
        path: 'app/templates/a.yaml',
        kind: 'ConfigMap',
        content: 'kind: ConfigMap\nmetadata: {name: shop}\nsize: 2\n',
      },
    ],
    hooks: [
      {
        path: 'app/templates/b.yaml',
        kind: 'Job',
        name: 'j',
        content: hook,
        events: ['pre-install', 'test'],
        weight: 5,
        deletePolicies: [],
        outputLogPolicies: [],
      },
    ],
    notes: 'Hi',
    crds: [{ path: 'app/crds/c.yaml', content: 'kind: CRD\n' }],
    warnings: ['warning: skipped value for app.other: Not a table.'],
  });
});

const says = test.macro<[template: string, options: RenderChartOptions, text: string]>({
  async exec(t, template, options, text) {
    t.is(await renders(template, options), text);
  },
  title: (_, template) => `${template} is as the options say`,
});

test(
  says,
  '{{ .Release | toJson }}',
  {},
  '{"IsInstall":true,"IsUpgrade":false,"Name":"release-name","Namespace":"default","Revision":1,"Service":"Helm"}',
);
test(
  says,
  '{{ .Release.Name }}/{{ .Release.Namespace }}/{{ .Release.Revision }}/{{ .Release.IsUpgrade }}',
  { release: { name: 'a', namespace: 'b', revision: 3, isUpgrade: true } },
  'a/b/3/true',
);
test(
  says,
  '{{ .Capabilities.KubeVersion }} {{ .Capabilities.HelmVersion.Version }} {{ len .Capabilities.APIVersions | lt 50 }}',
  {},
  'v1.36.0 v4.2.4 true',
);
test(
  says,
  '{{ .Capabilities.KubeVersion.Version }} {{ .Capabilities.APIVersions }}',
  { capabilities: { kubeVersion: '1.30.1-k3s', apiVersions: ['v1', 'x/v1'] } },
  'v1.30.1-k3s [v1 x/v1]',
);
test(
  says,
  '{{ .Values.a }} {{ .Values.b | toJson }} {{ typeOf .Values.c }} {{ .Values.d }}',
  { values: { a: 1_000_000, b: [true, null, { x: undefined, y: 'z' }], c: 7n, d: 'e' } },
  '1e+06 [true,null,{"y":"z"}] int64 e',
);
test(
  says,
  '{{ .Values.a }}{{ .Values.b }}{{ .Values.c }}',
  { values: ['a: 1\nb: 1\nc: 1', { b: 2, c: 2 }], setString: ['c=3'] },
  '123',
);
test(
  says,
  '{{ .Values.a }}{{ .Values.b.c }}{{ typeOf .Values.a }}{{ .Values.d }}',
  { set: ['a=1', 'b.c=2'], setJson: ['{"a": 5}'], setLiteral: ['d=x,y'] },
  '12int64x,y',
);
test(
  says,
  '{{ .Values.__proto__ }}{{ .Values.constructor }}',
  { values: JSON.parse('{"__proto__": 1}') as Record<string, unknown> },
  '1',
);
test(says, '{{ required "it" .Values.nothing }}x{{ fail "no" }}', { lint: true }, 'x');

const refuses = test.macro<
  [
    title: string,
    options: RenderChartOptions,
    expectation: { instanceOf?: typeof RenderError; code: string; message: RegExp },
  ]
>({
  async exec(t, _, options, expectation) {
    await t.throwsAsync(renders('a: {{ .Values.nothing }}', options), expectation);
  },
  title: (_, title) => title,
});

const circle: Record<string, unknown> = {};
circle['again'] = [circle];

test(refuses, 'rejects a missing key in strict mode', { strict: true }, { code: 'render_failed', message: /nothing/ });
test(
  refuses,
  'rejects a date in values',
  { values: { a: [new Date(0)] } },
  { code: 'values_invalid', message: /^values\.a\[0\] is an object of Date/ },
);
test(
  refuses,
  'rejects a function in values',
  { values: { a: () => 1 } },
  { code: 'values_invalid', message: /^values\.a is a function/ },
);
test(
  refuses,
  'rejects values that contain themselves',
  { values: circle },
  { code: 'values_invalid', message: /^values\.again\[0\] contains itself/ },
);
test(
  refuses,
  'rejects an integer that needs more than 64 bits',
  { values: { a: 2n ** 63n } },
  { code: 'values_invalid', message: /64 bits/ },
);
test(
  refuses,
  'reports invalid YAML in values',
  { values: 'a: b: c' },
  { code: 'values_invalid', message: /^failed to parse values: / },
);
test(
  refuses,
  'reports an invalid argument of set',
  { set: ['a'] },
  { code: 'values_invalid', message: /^failed parsing --set data: / },
);
test(
  refuses,
  'rejects an invalid Kubernetes version',
  { capabilities: { kubeVersion: 'new' } },
  { instanceOf: RenderError, code: 'kube_version_invalid', message: /"new"/ },
);
test(
  refuses,
  'ends the render when the signal is aborted',
  { signal: AbortSignal.abort(Object.assign(new Error('enough'), { code: 'mine' })) },
  { code: 'mine', message: /enough/ },
);

test('follows a reference to a remote schema whose text is given, also in a thread', async (t) => {
  const chart = chartOf('kind: A', { 'values.schema.json': '{"$ref": "https://schemas.example/a.json"}' });
  const options = { remoteSchemas: { 'https://schemas.example/a.json': '{"required": ["size"]}' } };
  await using renderer = createRenderer();
  const inThread: typeof renderChart = (source, given) => renderer.render(source, given);
  for (const render of [renderChart, inThread]) {
    await t.throwsAsync(render(chart), { message: /schemas are not downloaded from other hosts/ });
    await t.throwsAsync(render(chart, options), { message: /missing property 'size'/ });
    await t.notThrowsAsync(render(chart, { ...options, values: { size: 1 } }));
  }
});

test('limits steps in the calling thread', async (t) => {
  const many = chartOf('{{ range until 1000 }}{{ end }}');
  const error = await t.throwsAsync(renderChart(many, { limits: { steps: 100 } }));
  t.like(error, { code: 'render_limit', position: { file: 'app/templates/a.yaml', line: 1 } });
  await t.throwsAsync(renderChart(many, { limits: { listElements: 100 } }), { code: 'render_limit' });
});

test('renders Nunjucks charts only if they are allowed', async (t) => {
  const chart = chartOf('a: {{ Release.Name }}', {
    'Chart.yaml': `${chartYaml}annotations: {helm-agent/engine: nunjucks}\n`,
  });
  await t.throwsAsync(renderChart(chart), { code: 'engine_forbidden', message: /allowNunjucks/ });
  t.regex((await renderChart(chart, { allowNunjucks: true })).manifest, /a: release-name/);
});

test('renders again with the results of lookups, and with lookups that depend on them', async (t) => {
  const asked: string[] = [];
  const template =
    '{{ $a := lookup "v1" "ConfigMap" "ns" "a" }}{{ if $a }}{{ (lookup "v1" "Secret" "ns" $a.next).value }}{{ else }}{{ fail "not yet" }}{{ end }}';
  const lookup = (apiVersion: string, kind: string, namespace: string, name: string) => {
    asked.push([apiVersion, kind, namespace, name].join(' '));
    return Promise.resolve(kind === 'Secret' ? { value: 7 } : { next: 'b' });
  };
  t.is(await renders(template, { lookup }), '7');
  t.deepEqual(asked, ['v1 ConfigMap ns a', 'v1 Secret ns b']);
  t.is(await renders('{{ lookup "v1" "ConfigMap" "ns" "a" }}'), 'map[]');
  await t.throwsAsync(renders('{{ lookup "v1" "Pod" "" (randAlpha 9) }}', { lookup }), { code: 'render_limit' });
});

const refusesLookup = test.macro({
  title: (name) => `a lookup that returns ${name ?? ''} is an error that names it, also in a thread`,
  async exec(t, found: unknown, message: string) {
    const chart = chartOf('a: {{ lookup "v1" "Secret" "n" "s" | toJson }}');
    const lookup = (() => found) as Lookup; // JavaScript may return anything
    const expectation = { instanceOf: RenderError, code: 'render_failed', message: new RegExp(`^${message}`) };
    await t.throwsAsync(renderChart(chart, { lookup }), expectation);
    await using renderer = createRenderer();
    await t.throwsAsync(renderer.render(chart, { lookup }), expectation);
  },
});
const lookupCall = 'lookup "v1" "Secret" "n" "s": object';
test(
  'a date',
  refusesLookup,
  { metadata: { at: new Date(0) } },
  `${lookupCall}\\.metadata\\.at is an object of Date: `,
);
test('a function', refusesLookup, { f: [() => 1] }, `${lookupCall}\\.f\\[0\\] is a function: `);
test('an object that contains itself', refusesLookup, circle, `${lookupCall}\\.again\\[0\\] contains itself`);
test('a text', refusesLookup, 'abc', `${lookupCall} is a string, and not a plain object`);
test('a map', refusesLookup, new Map(), `${lookupCall} is an object of Map, and not a plain object`);

test('a lookup can return bigints, entries without a value, and nothing at all', async (t) => {
  const found: Record<string, unknown>[] = [{ a: 2n ** 62n, b: undefined, c: null, d: 1.5 }];
  const lookup = (() => found.pop()) as Lookup; // JavaScript may return nothing
  const template = '{{ lookup "v1" "A" "" "a" | toJson }}';
  t.is(await renders(template, { lookup }), '{"a":4611686018427387904,"c":null,"d":1.5}');
  t.is(await renders(template, { lookup }), '{}');
});

const refusesValues = test.macro({
  title: (name) => `values that are ${name ?? ''} are an error`,
  async exec(t, values: unknown, message: string) {
    const given = values as GivenValues; // JavaScript may give anything
    await t.throwsAsync(renders('', { values: given }), { instanceOf: ValuesError, message });
    await t.throwsAsync(renders('', { values: ['a: 1', given] }), { instanceOf: ValuesError, message });
  },
});
test('a map', refusesValues, new Map([['size', 3]]), 'values is an object of Map, and not a plain object');
test('a promise', refusesValues, Promise.resolve({}), 'values is an object of Promise, and not a plain object');
test('a date', refusesValues, new Date(0), 'values is an object of Date, and not a plain object');
test('bytes', refusesValues, Buffer.from('size: 3'), 'values is an object of Buffer, and not a plain object');
test('a number', refusesValues, 5, 'values is a number, and not a plain object');
test('null', refusesValues, null, 'values is null, and not a plain object');

test('values can be as deep as those of a values file, and no deeper', async (t) => {
  const nested = (depth: number) => {
    let values: Record<string, unknown> = {};
    for (let level = 1; level < depth; level++) values = { a: values };
    return values;
  };
  await t.notThrowsAsync(renders('{{ .Values | toJson | len }}', { values: nested(1000) }));
  for (const depth of [1001, 20_000]) {
    await t.throwsAsync(renders('', { values: nested(depth) }), {
      instanceOf: ValuesError,
      message: /^values(\.a)+… is nested more than 1000 levels deep$/,
    });
  }
});

test('changes the result with a post-renderer', async (t) => {
  const postRender = (text: string) => Promise.resolve(text.replace('size: 1', 'size: 9'));
  t.regex((await renderChart(files, { postRender })).manifest, /size: 9/);
});

test('renders the same host, chart and values to the same bytes', async (t) => {
  const chart = chartOf('a: {{ now }} {{ randAlphaNum 9 }} {{ uuidv4 }}');
  const { manifest } = await renderChart(chart, { host: fixedHost });
  t.regex(manifest, /2023-11-14/);
  t.is((await renderChart(chart, { host: fixedHost })).manifest, manifest);
});

test.serial('parses a loaded chart only once, also for other values', async (t) => {
  const parse = TemplateSet.parse.bind(TemplateSet);
  let parsed = 0;
  TemplateSet.parse = (...args) => {
    parsed++;
    return parse(...args);
  };
  t.teardown(() => {
    TemplateSet.parse = parse;
  });
  const chart = await loadChart(files);
  t.regex((await chart.render({ values: { size: 5 } })).manifest, /size: 5/);
  t.regex((await renderChart(chart, { values: { size: 6 } })).manifest, /size: 6/);
  t.is(parsed, 1);
});

test('renders to the same bytes in threads, which do not see the environment', async (t) => {
  await using renderer = createRenderer({ threads: 2 });
  const chart = await loadChart(files);
  const manifests = await Promise.all(
    [1, 2, 3].map(async (size) => (await renderer.render(chart, { values: { size } })).manifest),
  );
  t.deepEqual(
    manifests,
    [1, 2, 3].map((size) => expected.replace('size: 1', `size: ${size}`)),
  );
  const lookup = () => ({ data: 'there' });
  const postRender = (text: string) => `${text}---\nkind: New\n`;
  const options = { lookup, postRender, capabilities: { kubeVersion: '1.31' }, release: { name: 'r' } };
  const template = 'kind: {{ (lookup "v1" "A" "" "b").data }}\nversion: {{ .Capabilities.KubeVersion }}\n';
  const rendered = await renderer.render(chartOf(template), options);
  t.deepEqual(rendered, await renderChart(chartOf(template), options));
  t.deepEqual(rendered.manifests.map(({ kind }) => kind).sort(), ['New', 'there']);
});

test('ends a render that exceeds the limits of its renderer', async (t) => {
  await using renderer = createRenderer({ limits: { milliseconds: 2_000 } });
  const endless = chartOf('{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}');
  await t.throwsAsync(renderer.render(endless), { code: 'render_limit', message: /more than 2 s;/ });
  t.is((await renderer.render(files)).manifest, expected);
  const stop = new AbortController();
  const stopped = renderer.render(endless, { signal: stop.signal });
  stop.abort(new Error('enough'));
  await t.throwsAsync(stopped, { message: 'enough' });
});
