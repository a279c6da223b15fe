import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { defaultChartLimits } from '../../src/chart/limits.ts';
import { type ChartContent, contentOf } from '../../src/chart/load/chart-content.ts';
import { loadUnpacked } from '../../src/chart/load/load-archive.ts';
import { stringAt } from '../../src/objects/fields.ts';
import { encodeRelease } from '../../src/release/codec.ts';
import { defaultRenderLimits } from '../../src/render/limits.ts';
import { defaultTextLimits, type TextThreadLimits } from '../../src/workers/limits.ts';
import { createWorkers } from '../../src/workers/workers.ts';
import { tillerRecord } from '../release/helm2/tiller-record.ts';
import { sampleRelease } from '../release/sample-release.ts';
import { threadModule } from '../support/program.ts';

const never = new AbortController().signal;
const moduleUrl = threadModule('worker-thread');
const release = { name: 'shop', namespace: 'default', revision: 1, isInstall: true, isUpgrade: false };
const capabilities = { version: { gitVersion: 'v1.35.0' }, apiVersions: ['v1'] };

const defaults: TextThreadLimits = { ...defaultRenderLimits, ...defaultChartLimits, ...defaultTextLimits };
const shared = createWorkers({ moduleUrl, limits: defaults, threads: 1 });
/** Threads with low limits. */
const limits = { ...defaults, objects: 2, manifestBytes: 1000, releaseBytes: 2000, nodes: 30, valueNodes: 100 };
const limited = createWorkers({ moduleUrl, limits, threads: 1 });
test.after.always(() => Promise.all([shared.close(), limited.close()]));

async function chartOf(files: Record<string, string>): Promise<ChartContent> {
  const all = { 'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.2.3\n', ...files };
  const list = Object.entries(all).map(([name, text]) => ({ name, data: Buffer.from(text) }));
  return contentOf(await loadUnpacked(list), list);
}

const configMap = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;

test('renders a chart as a revision stores it', async (t) => {
  const chart = await chartOf({
    'values.yaml': 'size: 1\n',
    'templates/a.yaml': `${configMap('a')}data: {size: "{{ .Values.size }}"}`,
    'templates/NOTES.txt': 'Hi {{ .Release.Name }}',
  });
  const rendered = await shared.renderer.render({ chart, values: { yaml: 'size: 2' }, release, capabilities }, never);
  t.like(rendered, {
    config: { size: 2 },
    manifest: `---\n# Source: web/templates/a.yaml\n${configMap('a')}data: {size: "2"}\n`,
    manifestCount: 1,
    hooks: [],
    notes: 'Hi shop',
  });
  t.deepEqual(rendered.chart.values, { size: 1 });
});

const capabilityCases: [string, Record<string, string>, boolean][] = [
  ['.Values', {}, false],
  ['.Capabilities.HelmVersion.Version', {}, false],
  ['.Capabilities.APIVersions.Has "v1"', {}, true],
  ['range $.Capabilities.APIVersions }}{{ . }}{{ end', {}, true],
  ['.Capabilities.KubeVersion.Minor', {}, true],
  ['toYaml .Capabilities', {}, true],
  ['include "a" . }}{{ define "a" }}{{ with .Capabilities }}{{ .KubeVersion }}{{ end }}{{ end', {}, true],
  ['tpl "{{ .Capabilities.KubeVersion }}" .', {}, true],
  ['.Values', { 'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.2.3\nkubeVersion: ">=1.20"\n' }, true],
];

for (const [expression, files, expected] of capabilityCases) {
  const when = Object.keys(files).length === 0 ? '' : ' with a kubeVersion';
  test(`says whether a chart uses the capabilities of the cluster: ${expression}${when}`, async (t) => {
    const chart = await chartOf({ 'templates/NOTES.txt': `{{ ${expression} }}`, ...files });
    const rendered = await shared.renderer.render({ chart, values: {}, release, capabilities }, never);
    t.is(rendered.usesCapabilities, expected);
  });
}

test('renders again with the objects that templates look up', async (t) => {
  const chart = await chartOf({ 'templates/a.yaml': `{{ (lookup "v1" "Secret" "ns" "s").kind }}: 1` });
  const lookup = () => ({ kind: 'Found' });
  const rendered = await shared.renderer.render({ chart, values: {}, release, capabilities, lookup }, never);
  t.is(rendered.manifest, '---\n# Source: web/templates/a.yaml\nFound: 1\n');
});

test('passes rendered files through a post-renderer', async (t) => {
  const chart = await chartOf({ 'templates/a.yaml': configMap('a') });
  const postRender = (text: string) => text.replace('name: a', 'name: b');
  const request = { chart, values: {}, release, capabilities, postRender };
  t.regex((await shared.renderer.render(request, never)).manifest, /name: b/);
});

test('uses stored values if the text of the command has none', async (t) => {
  const chart = await chartOf({ 'templates/a.yaml': 'size: {{ .Values.size }}' });
  const configOf = async (yaml: string) => {
    const stored = { config: { size: 7 }, chart: { name: 'web', values: {} }, reuse: 'if-none-given' } as const;
    const values = { yaml, stored };
    return (await shared.renderer.render({ chart, values, release, capabilities }, never)).config;
  };
  t.deepEqual(await configOf('# none'), { size: 7 });
  t.deepEqual(await configOf('size: 8'), { size: 8 });
});

test('integers of --set stay integers in templates, and those of YAML are floats as in Helm', async (t) => {
  const chart = await chartOf({ 'templates/a.yaml': 'a: {{ .Values.a }}\nb: {{ .Values.b }}' });
  const values = { yaml: 'b: 1000000', set: [{ kind: 'set', text: 'a=1000000' }] } as const;
  const { manifest, config } = await shared.renderer.render({ chart, values, release, capabilities }, never);
  t.regex(manifest, /a: 1000000\nb: 1e\+06/);
  t.deepEqual(config, { a: 1_000_000, b: 1_000_000 });
});

test('the defaults of the stored chart replace those of the new one, also in the revision', async (t) => {
  const chart = await chartOf({ 'values.yaml': 'size: 1\nnew: 1', 'templates/a.yaml': 'json: {{ toJson .Values }}' });
  const stored = {
    config: { own: 3 },
    chart: { name: 'web', values: { size: 2 } },
    reuse: 'with-defaults',
  } as const;
  const request = { chart, values: { yaml: 'given: 4', stored }, release, capabilities };
  const rendered = await shared.renderer.render(request, never);
  t.regex(rendered.manifest, /\{"given":4,"own":3,"size":2\}/);
  t.deepEqual(rendered.config, { given: 4, own: 3 });
  t.deepEqual(rendered.chart.values, { own: 3, size: 2 });
});

test('leaves Secrets out of the manifest, but not out of hooks', async (t) => {
  const secret = (name: string, rest = '') =>
    `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}${rest}}\nstringData: {key: sentinel}\n`;
  const chart = await chartOf({
    'templates/a.yaml': secret('a'),
    'templates/h.yaml': secret('h', ', annotations: {"helm.sh/hook": pre-install}'),
  });
  const request = { chart, values: {}, release, capabilities, hideSecrets: true };
  const hidden = '---\n# Source: web/templates/a.yaml\n# HIDDEN: The Secret output has been suppressed\n';
  for (const postRender of [undefined, (text: string) => text]) {
    const { manifest, hooks } = await shared.renderer.render({ ...request, postRender }, never);
    t.is(manifest, hidden);
    t.regex(hooks[0]?.manifest ?? '', /sentinel/);
  }
});

test('reports values that are not a mapping with their line', async (t) => {
  const chart = await chartOf({});
  const request = { chart, values: { yaml: 'a: 1\n\t- x' }, release, capabilities };
  await t.throwsAsync(shared.renderer.render(request, never), {
    message: /^values: give a YAML mapping: /,
    code: 'values_invalid',
  });
});

test('returns the objects of each CRD file', async (t) => {
  const chart = await chartOf({
    'crds/a.yaml': `${configMap('a')}---\n${configMap('b')}`,
    'crds/c.yaml': configMap('c'),
  });
  const files = await shared.renderer.crds(chart, {}, never);
  t.deepEqual(
    files.map(({ name, objects }) => [name, objects.map(({ object }) => object.metadata.name)]),
    [
      ['crds/a.yaml', ['a', 'b']],
      ['crds/c.yaml', ['c']],
    ],
  );
});

test('returns the objects of a manifest in order, also if they come in several parts', async (t) => {
  const names = Array.from({ length: 5000 }, (_, index) => `n${index}`);
  const objects = await shared.renderer.readObjects(
    names.map((name) => `---\n${configMap(name)}`).join(''),
    'read',
    never,
  );
  t.deepEqual(
    objects.map(({ object }) => object.metadata.name),
    names,
  );
});

test('refuses a chart that cannot be installed', async (t) => {
  const library = await chartOf({ 'Chart.yaml': 'apiVersion: v2\nname: lib\nversion: 1.0.0\ntype: library\n' });
  const request = { chart: library, values: {}, release, capabilities };
  await t.notThrowsAsync(shared.renderer.render(request, never), 'only reading checks it');
  await t.throwsAsync(shared.chartReader.readArchive(Buffer.from('no archive'), never), { code: 'chart_invalid' });
});

for (const large of [false, true]) {
  test(`encodes and decodes a ${large ? 'large' : 'small'} release`, async (t) => {
    const stored = { ...sampleRelease('web', 3, 'deployed'), manifest: '# text\n'.repeat(large ? 200_000 : 1) };
    t.deepEqual(await shared.codec.decode(await shared.codec.encode(stored)), stored);
  });
}

test('reads large releases one at a time', async (t) => {
  const { large, codec } = shared;
  const stored = { ...sampleRelease('web', 3, 'deployed'), manifest: 'x'.repeat(9_000_000) };
  const encoded = await encodeRelease(stored);
  let reading = 0;
  const read = () =>
    large.run(async () => {
      const { manifest } = await codec.decode(encoded);
      t.is(++reading, 1);
      await setImmediate();
      reading--;
      return manifest.length;
    });
  t.deepEqual(await Promise.all([read(), read(), read()]), [9_000_000, 9_000_000, 9_000_000]);
});

interface Excess {
  files?: Record<string, string>;
  values?: string;
  message: string;
}

const exceeds = test.macro({
  title: (_, what: string) => `refuses ${what}`,
  async exec(t, _what: string, { files = {}, values = '', message }: Excess) {
    const request = { chart: await chartOf(files), values: { yaml: values }, release, capabilities };
    await t.throwsAsync(limited.renderer.render(request, never), { message, code: 'too_large' });
  },
});
test(exceeds, 'a chart that renders too many objects', {
  files: { 'templates/a.yaml': `{{ range 3 }}---\n${configMap('a{{ . }}')}{{ end }}` },
  message: 'the chart renders more than 2 objects',
});
test(exceeds, 'a chart that renders too much text', {
  files: { 'templates/a.yaml': '# {{ repeat 2000 "x" }}' },
  message: 'web/templates/a.yaml: the chart renders more than 1000 bytes',
});
test(exceeds, 'a chart whose files do not fit into a release', {
  files: { 'large.txt': 'x'.repeat(1600) },
  message: 'a release with the files of the chart has more than 2000 bytes',
});
test(exceeds, 'values with too many nodes', {
  values: `a: [${'1,'.repeat(100)}]`,
  message: 'the values of the chart have more than 100 nodes',
});

test('refuses a manifest with too many objects, and one with too many values', async (t) => {
  const objects = ['a', 'b', 'c'].map((name) => `---\n${configMap(name)}`).join('');
  await t.throwsAsync(limited.renderer.readObjects(objects, 'read', never), {
    message: 'read: document 3: the manifest has more than 2 objects',
    code: 'too_large',
  });
  const fields = Array.from({ length: 30 }, (_, index) => `  k${index}: v\n`).join('');
  await t.throwsAsync(limited.renderer.readObjects(`${configMap('a')}data:\n${fields}`, 'read', never), {
    message: 'the manifest has more than 30 nodes',
    code: 'too_large',
  });
});

test('refuses a stored release that unpacks to too much', async (t) => {
  const encoded = await encodeRelease({ ...sampleRelease('web', 1, 'deployed'), manifest: 'x'.repeat(2_000_000) });
  await t.throwsAsync(limited.codec.decode(encoded), {
    message: 'the stored release unpacks to more than 2000 bytes',
    code: 'release_too_large',
  });
});

test('reads releases of Helm 2, with the limits of all stored releases', async (t) => {
  const helm2 = { name: 'web', namespace: 'shop', version: 1, manifest: 'x'.repeat(1500) };
  const encoded = (release: typeof helm2) => stringAt(tillerRecord('kube-system', release), 'data', 'release') ?? '';
  t.like(await shared.helm2Decoder(encoded(helm2)), helm2);
  t.like(await limited.helm2Decoder(encoded(helm2)), { name: 'web' });
  const large = { ...helm2, manifest: 'x'.repeat(3000) };
  await t.throwsAsync(limited.helm2Decoder(encoded(large)), { name: 'ReleaseError', code: 'release_too_large' });
  const values = `list: [${'1,'.repeat(200)}]`;
  await t.throwsAsync(limited.helm2Decoder(encoded({ ...helm2, values } as typeof helm2)), {
    code: 'release_too_large',
  });
  await t.throwsAsync(shared.helm2Decoder('AAAA'), { name: 'ReleaseError', code: 'release_corrupt' });
});

test('puts the files of crds/ folders before the manifest, as they are', async (t) => {
  const crds = {
    'crds/b.yaml': '# two\nkind: B',
    'charts/sub/Chart.yaml': 'apiVersion: v2\nname: sub\nversion: 1.0.0\n',
  };
  const chart = await chartOf({ ...crds, 'charts/sub/crds/a.yaml': 'kind: A\n\n', 'templates/a.yaml': configMap('a') });
  const request = { chart, values: {}, release, capabilities };
  const { manifest } = await shared.renderer.render(request, never);
  t.deepEqual(
    [...manifest.matchAll(/# Source: (.*)/g)].map(([, path]) => path),
    ['web/templates/a.yaml'],
  );
  const withCrds = await shared.renderer.render({ ...request, includeCrds: true }, never);
  const [parent, child] = [
    '# Source: web/crds/b.yaml\n# two\nkind: B\n',
    '# Source: web/charts/sub/crds/a.yaml\nkind: A\n\n\n',
  ];
  t.is(withCrds.manifest, `---\n${parent}---\n${child}${manifest}`);
  t.is(withCrds.manifestCount, 1);
  const large = await chartOf({ 'crds/a.yaml': 'x'.repeat(1001) });
  await t.throwsAsync(limited.renderer.render({ ...request, chart: large, includeCrds: true }, never), {
    code: 'too_large',
  });
});

const hostCases: [string, string, string | RegExp][] = [
  ['the first address', '{{ getHostByName "two.example" }}', '10.0.0.1'],
  ['a name that another lookup finds', '{{ getHostByName (lookup "v1" "Host" "" "x").name }}', '10.0.0.1'],
  [
    'a host without addresses',
    '{{ getHostByName "none.example" }}',
    /error calling getHostByName: invalid argument to Intn$/,
  ],
  [
    'too many hosts',
    '{{ range until 101 }}{{ getHostByName (print .) }}{{ end }}',
    /resolves more than 100 host names/,
  ],
];

for (const [what, expression, expected] of hostCases) {
  test(`getHostByName resolves names if the request allows it: ${what}`, async (t) => {
    const chart = await chartOf({ 'templates/NOTES.txt': expression });
    const asked: string[] = [];
    const resolveHost = (name: string) => {
      asked.push(name);
      return Promise.resolve(name === 'two.example' ? ['10.0.0.1', '10.0.0.2'] : []);
    };
    const lookup = () => ({ name: 'two.example' });
    const request = { chart, values: {}, release, capabilities, lookup };
    const rendered = shared.renderer.render({ ...request, resolveHost }, never);
    if (typeof expected === 'string') t.is((await rendered).notes, expected);
    else await t.throwsAsync(rendered, { message: expected });
    t.true(asked.length <= 2);
    if (expected === '10.0.0.1') t.is((await shared.renderer.render(request, never)).notes, '');
  });
}

test('getHostByName resolves names also if lookups find nothing', async (t) => {
  const chart = await chartOf({ 'templates/NOTES.txt': '{{ getHostByName "a" }} {{ lookup "v1" "Pod" "" "a" }}' });
  const resolveHost = () => Promise.resolve(['10.0.0.1']);
  const { notes } = await shared.renderer.render({ chart, values: {}, release, capabilities, resolveHost }, never);
  t.is(notes, '10.0.0.1 map[]');
});
