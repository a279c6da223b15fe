import { gzipSync } from 'node:zlib';
import test from 'ava';
import type { SentCommand } from '../../src/control-plane/index.ts';
import type { CommandParameters } from '../../src/protocol/commands/index.ts';
import { serve } from '../source/test-repository.ts';
import {
  agentId,
  type AgentUnderAttack,
  type ChartFiles,
  startAgentUnderAttack,
} from './support/agent-under-attack.ts';
import { isSlowRun } from './support/figures.ts';

const starting = startAgentUnderAttack(['--plain-http']);
test.after.always(async () => (await starting).close());

const releases = { count: 0 };
const tags = { count: 0 };

function install(agent: AgentUnderAttack, payload: Partial<CommandParameters['install_release']>): SentCommand {
  return agent.plane.install(agentId, { releaseName: `hostile-${++releases.count}`, chartName: 'small', ...payload });
}

interface Case {
  /** Expected code of the response, or several that ` or ` separates. */
  code: string;
  /** Number of such commands that are sent at a time (default: 1). */
  count?: number;
  /** Whether the response takes more than three seconds. */
  isSlow?: boolean;
}

/** Sends a chart with these files. */
function chart(input: string, files: () => ChartFiles, expected: Case): void {
  run(input, expected, async (agent) => {
    const chartName = `chart-${++releases.count}`;
    await agent.addChart(chartName, files());
    return () => install(agent, { chartName });
  });
}

/** Sends a chart with one template. */
function template(input: string, text: string, expected: Case): void {
  chart(`template: ${input}`, () => ({ 'templates/all.yaml': text }), expected);
}

/** Sends values to a small chart. */
function values(input: string, text: () => string, expected: Case): void {
  run(`values: ${input}`, expected, (agent) => Promise.resolve(() => install(agent, { values: text() })));
}

/** Installs from an HTTP repository with this index. */
function index(input: string, text: () => string, expected: Case): void {
  runWith(`index: ${input}`, expected, async (agent, t) => {
    const { url } = await serve(t, { '/index.yaml': text() });
    return () => install(agent, { repoUrl: url, chartName: 'app' });
  });
}

/** Lists the releases of a namespace with a release Secret of someone else. */
function storedRelease(input: string, encoded: () => string, expected: Case): void {
  run(`release Secret: ${input}`, expected, async (agent) => {
    const namespace = `tenant-${++releases.count}`;
    const labels = { owner: 'helm', name: 'a', status: 'deployed', version: '1' };
    await agent.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await agent.cluster.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'sh.helm.release.v1.a.v1', namespace, labels },
      type: 'helm.sh/release.v1',
      data: { release: Buffer.from(encoded()).toString('base64') },
    });
    return () => agent.plane.list(agentId, { namespace });
  });
}

type Prepare = (agent: AgentUnderAttack, t: Parameters<typeof serve>[0]) => Promise<() => SentCommand>;

function run(input: string, expected: Case, prepare: (agent: AgentUnderAttack) => Promise<() => SentCommand>): void {
  runWith(input, expected, prepare);
}

function runWith(input: string, { code, count = 1, isSlow = false }: Case, prepare: Prepare): void {
  if (isSlow && !isSlowRun) return;
  test.serial(`withstands ${input}`, async (t) => {
    t.timeout(150_000);
    const agent = await starting;
    const send = await prepare(agent, t);
    await agent.withstands(t, input, () => Array.from({ length: count }, send), code);
  });
}

/** Installs from a registry whose list of tags has pages that a function makes. */
function registry(input: string, page: () => readonly string[], expected: Case): void {
  runWith(`registry: ${input}`, expected, async (agent, t) => {
    const { url } = await serve(t, {
      '/v2/': '{}',
      '/v2/team/web/tags/list': (_request, response) => response.end(JSON.stringify({ tags: page() })),
    });
    return () => install(agent, { chartName: `${url.replace('http', 'oci')}/team/web` });
  });
}

const lines = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('');
const configMap = (name: string) => `---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
/** Returns 95 MB of files in a folder. */
const largeFiles = (folder: string) => (): ChartFiles =>
  Object.fromEntries(Array.from({ length: 19 }, (_, i) => [`${folder}files/${i}`, Buffer.alloc(5_000_000, 97)]));
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

values('20,000 keys and 20,000 documents', () => lines(20_000, (i) => `k${i}: v\n---\n`), { code: 'ok', isSlow: true });
values('20,000 keys', () => lines(20_000, (i) => `k${i}: v\n`), { code: 'ok' });
values('9,000 nested lists', () => `a: ${nested(9000)}\n`, { code: 'values_invalid' });
values('900 nested lists in block style', () => `a:\n${lines(900, (i) => `${' '.repeat(i)}-\n`)}`, {
  code: 'ok',
  isSlow: true,
});
values('a million empty texts', () => `a: [${"'',".repeat(1_000_000)}]\n`, { code: 'too_large', isSlow: true });
values(
  'aliases that expand to billions',
  () => `a0: &a0 [x]\n${lines(30, (i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(10)}]\n`)}`,
  { code: 'values_invalid' },
);

chart('values.yaml with 2,000 nested lists', () => ({ 'values.yaml': `a: ${nested(2000)}\n` }), {
  code: 'chart_invalid',
});
chart(
  'five subcharts with nested lists in values.yaml',
  () =>
    Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e'].flatMap((name) => [
        [`charts/${name}/Chart.yaml`, `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`],
        [`charts/${name}/values.yaml`, `a: ${nested(900)}\n`],
      ]),
    ),
  { code: 'ok' },
);
chart(
  'a chart with 20,000 documents in values.yaml',
  () => ({ 'values.yaml': lines(20_000, (i) => `k${i}: v\n---\n`) }),
  { code: 'ok', isSlow: true },
);
chart('a file of 5 MB in crds/', () => ({ 'crds/a.yaml': lines(70_000, (i) => configMap(`a${i}`)) }), {
  code: 'too_large',
  isSlow: true,
});
chart('a file of nested lists in crds/', () => ({ 'crds/a.yaml': `a: ${nested(4000)}\n` }), {
  code: 'invalid_manifest',
});
chart(
  '400 nested chart folders',
  () =>
    Object.fromEntries(
      Array.from({ length: 400 }, (_, i) => [
        `${'charts/c/'.repeat(i + 1)}Chart.yaml`,
        'apiVersion: v2\nname: c\nversion: 1.0.0\n',
      ]),
    ),
  { code: 'too_large', isSlow: true },
);
chart(
  'aliases of subcharts, five levels deep',
  () => {
    const dependencies = (name: string) =>
      `dependencies:\n${lines(40, (i) => `- name: ${name}\n  version: 1.0.0\n  alias: ${name}${i}\n`)}`;
    return {
      'Chart.yaml': `apiVersion: v2\nname: aliases\nversion: 1.0.0\n${dependencies('s')}`,
      ...Object.fromEntries(
        Array.from({ length: 5 }, (_, i) => [
          `${'charts/s/'.repeat(i + 1)}Chart.yaml`,
          `apiVersion: v2\nname: s\nversion: 1.0.0\n${i < 4 ? dependencies('s') : ''}`,
        ]),
      ),
    };
  },
  { code: 'too_large', isSlow: true },
);
chart('a chart of 95 MB', largeFiles(''), { code: 'too_large', isSlow: true });
chart('8 charts of 95 MB at a time', largeFiles(''), { code: 'too_large', count: 8, isSlow: true });
chart(
  '8 charts with a subchart of 95 MB at a time',
  () => ({
    ...largeFiles('charts/s/')(),
    'charts/s/Chart.yaml': 'apiVersion: v2\nname: s\nversion: 1.0.0\n',
    'templates/a.yaml': configMap('{{ .Release.Name }}'),
  }),
  { code: 'ok', count: 8, isSlow: true },
);
chart(
  'a .helmignore of patterns with many stars',
  () => ({
    '.helmignore': `${'*a'.repeat(30)}b\n${'[a-z]*'.repeat(30)}0\n${'?*'.repeat(60)}b\n`,
    ['a'.repeat(250)]: '',
  }),
  { code: 'ok' },
);
chart('19,000 files', () => Object.fromEntries(Array.from({ length: 19_000 }, (_, i) => [`files/${i}`, 'x'])), {
  code: 'ok',
  isSlow: true,
});
chart(
  'a schema of 4,000 nested rules',
  () => ({ 'values.schema.json': `${'{"allOf":['.repeat(4000)}{}${']}'.repeat(4000)}`, 'values.yaml': 'a: 1\n' }),
  { code: 'ok or render_limit', isSlow: true },
);

/** Returns a chart with subcharts, whose dependencies have these lines. */
const withSubcharts = (count: number, about: (index: number) => string): ChartFiles => ({
  'Chart.yaml': `apiVersion: v2\nname: many\nversion: 1.0.0\ndependencies:\n${lines(count, (i) => `- name: s${i}\n  version: 1.0.0\n${about(i)}`)}`,
  ...Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `charts/s${i}/Chart.yaml`,
      `apiVersion: v2\nname: s${i}\nversion: 1.0.0\n`,
    ]),
  ),
});
const subchartValues = (count: number, text: string): ChartFiles =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`charts/s${i}/values.yaml`, text]));
const manyKeys = (count: number) => lines(count, (i) => `  k${i}: v\n`);

chart(
  '200 subcharts that each import 100 parts of their values',
  () => ({
    ...withSubcharts(
      200,
      () => `  import-values:\n${lines(100, (i) => `  - child: data.k${i}\n    parent: all.k${i}\n`)}`,
    ),
    ...subchartValues(200, `data:\n${lines(100, (i) => `  k${i}: {v: 1}\n`)}`),
  }),
  { code: 'ok', isSlow: true },
);
chart(
  '100 subcharts that each import 1,000 values into the same map',
  () => ({
    ...withSubcharts(100, () => '  import-values: [data]\n'),
    ...subchartValues(100, `exports:\n  data:\n${lines(1000, (i) => `    k${i}: v\n`)}`),
  }),
  { code: 'too_large' },
);
chart(
  '300 subcharts with 300 conditions each',
  () =>
    withSubcharts(300, () => `  condition: ${Array.from({ length: 300 }, (_, i) => `a.b${i}.enabled`).join(',')}\n`),
  { code: 'ok' },
);
chart(
  '300 subcharts with 300 tags each',
  () => ({
    ...withSubcharts(300, () => `  tags: [${Array.from({ length: 300 }, (_, i) => `t${i}`).join(', ')}]\n`),
    'values.yaml': `tags:\n${manyKeys(1000)}`,
  }),
  { code: 'ok' },
);

/** Sends a chart with a schema. */
function schema(input: string, rules: object, text: string, isSlow = false): void {
  const files = () => ({ 'values.schema.json': JSON.stringify(rules), 'values.yaml': text });
  chart(`a schema with ${input}`, files, { code: 'ok or values_invalid or chart_invalid or render_limit', isSlow });
}

const doubled = (keyword: string) =>
  Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [
      `d${i}`,
      i === 59 ? { type: 'object' } : { [keyword]: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
    ]),
  );
schema('a reference to itself', { $ref: '#' }, 'a: 1\n');
schema(
  'references in a circle',
  { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' },
  'a: 1\n',
);
for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
  schema(
    `${keyword} that doubles 60 times`,
    { $defs: doubled(keyword), $ref: '#/$defs/d0' },
    'a: 1\n',
    keyword !== 'anyOf',
  );
}
schema(
  'patterns that backtrack',
  { properties: { a: { pattern: '^(a+)+$' }, b: { pattern: '(x*)*y' } } },
  `a: ${'a'.repeat(50_000)}!\nb: ${'x'.repeat(50_000)}\n`,
);

template(
  'looks for files by patterns with many alternatives',
  `{{ range until 50 }}{{ len ($.Files.Glob "${'{a,b,c}'.repeat(60)}") }}{{ len ($.Files.Glob "${'**/'.repeat(200)}*a*b*c*d") }}{{ end }}`,
  { code: 'ok or render_failed or render_limit or invalid_manifest' },
);

template('prints 4,000 nested lists', '{{ repeat 4000 "[" }}{{ repeat 4000 "]" }}', { code: 'render_failed' });
template('prints 300,000 documents', '{{ range until 300000 }}---\na: b\n{{ end }}', {
  code: 'too_large or render_limit',
  isSlow: true,
});
template(
  'prints 60,000 objects',
  '{{ range $i := until 60000 }}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a{{ $i }}}\n{{ end }}',
  { code: 'too_large', isSlow: true },
);
template('parses 4,000 nested lists', '{{ fromYaml (printf "a: %s%s" (repeat 4000 "[") (repeat 4000 "]")) }}', {
  code: 'render_failed',
});
template(
  'repeats a text of 16 MB in a list',
  '{{ $x := list }}{{ range until 1000 }}{{ $x = append $x (repeat 16000000 "x" | upper) }}{{ end }}',
  { code: 'render_limit', isSlow: true },
);
template(
  'parses JSON of 16 MB',
  '{{ $x := list }}{{ range until 10 }}{{ $x = append $x (fromJsonArray (printf "[%s1]" (repeat 4000000 "[],"))) }}{{ end }}',
  { code: 'render_limit', isSlow: true },
);
template('doubles a list', '{{ $x := list 1 }}{{ range until 100 }}{{ $x = concat $x $x }}{{ end }}', {
  code: 'render_limit',
  isSlow: true,
});
template(
  'keeps growing lists',
  '{{ $x := list }}{{ range until 100000 }}{{ $x = append $x (until 100000) }}{{ end }}',
  { code: 'render_limit', isSlow: true },
);
template('prints 180 MB', '{{ $x := repeat 1000000 "x" }}{{ range until 180 }}# {{ $x }}\n{{ end }}', {
  code: 'render_limit',
});
template('never ends', '{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}', {
  code: 'render_limit',
  isSlow: true,
});
chart(
  'templates that print 180 MB together',
  () =>
    Object.fromEntries(
      Array.from({ length: 6 }, (_, i) => [
        `templates/${i}.yaml`,
        '{{ $x := repeat 1000000 "x" }}{{ range until 30 }}# {{ $x }}\n{{ end }}',
      ]),
    ),
  { code: 'too_large or render_limit', isSlow: true },
);

template(
  '8 that keep growing texts at a time',
  '{{ $x := list }}{{ range until 1000 }}{{ $x = append $x (repeat 16000000 "x" | upper) }}{{ end }}',
  { code: 'render_limit', count: 8, isSlow: true },
);
template(
  '8 that print 14 MB at a time',
  `${configMap('{{ .Release.Name }}')}{{ $x := repeat 1000000 "x" }}{{ range until 14 }}# {{ $x }}\n{{ end }}`,
  { code: 'ok', count: 8, isSlow: true },
);

registry('a list of versions that never ends', () => Array.from({ length: 900 }, () => `1.0.${tags.count++}`), {
  code: 'too_large',
});

index('6 MB of nested lists', () => `apiVersion: v1\nentries:\n  app: ${nested(3_000_000)}\n`, {
  code: 'repository_invalid',
  isSlow: true,
});
index('6 MB of documents', () => `apiVersion: v1\nentries: {}\n${lines(800_000, () => '---\na: b\n')}`, {
  code: 'chart_not_found',
  isSlow: true,
});
index(
  '40,000 versions, honest',
  () =>
    `apiVersion: v1\nentries:\n  app:\n${lines(40_000, (i) => `  - name: app\n    version: 1.0.${i}\n    description: a version of the app with a text about it\n    urls: [app-1.0.${i}.tgz]\n`)}`,
  { code: 'repository_not_found', isSlow: true },
);
index('30 MB of entries', () => `apiVersion: v1\nentries:\n${lines(1_700_000, () => '  app: [{}, {}]\n')}`, {
  code: 'too_large',
  isSlow: true,
});
index('30 MB of comments in letters of two bytes', () => `${'# é\n'.repeat(6_000_000)}entries: {}\n`, {
  code: 'repository_invalid',
  isSlow: true,
});
index('30 MB of empty lists in JSON', () => `{"apiVersion":"v1","entries":{"app":[${'[],'.repeat(10_000_000)}[]]}}`, {
  code: 'too_large',
  isSlow: true,
});
index('8 of 30 MB at a time', () => `apiVersion: v1\nentries:\n${lines(1_700_000, () => '  app: [{}, {}]\n')}`, {
  code: 'too_large',
  count: 8,
  isSlow: true,
});
index('40 MB', () => 'x'.repeat(40_000_000), { code: 'too_large', isSlow: true });

const release = (part: object) =>
  JSON.stringify({
    name: 'a',
    namespace: 'tenant',
    version: 1,
    info: { status: 'deployed' },
    chart: { metadata: { name: 'a', version: '1.0.0' }, templates: [], values: {} },
    manifest: '',
    ...part,
  });
const encode = (text: string) => gzipSync(text).toString('base64');
storedRelease('114 MB unpacked', () => encode(release({ manifest: 'x'.repeat(114_000_000) })), {
  code: 'ok',
  isSlow: true,
});
storedRelease(
  'millions of values',
  () => encode(release({ config: { a: Array.from({ length: 5_000_000 }, () => []) } })),
  { code: 'ok', isSlow: true },
);
storedRelease('100,000 nested lists', () => encode(`${release({}).slice(0, -1)},"config":{"a":${nested(100_000)}}}`), {
  code: 'ok',
  isSlow: true,
});
