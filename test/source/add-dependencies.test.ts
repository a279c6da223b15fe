import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { defaultChartLimits } from '../../src/chart/limits.ts';
import { loadUnpacked } from '../../src/chart/load/load-archive.ts';
import { defaultRenderLimits } from '../../src/render/limits.ts';
import type { ChartRequest, SourceMirrors } from '../../src/source/chart-request.ts';
import { createChartSource } from '../../src/source/chart-source.ts';
import { defaultTextLimits } from '../../src/workers/limits.ts';
import { createWorkers } from '../../src/workers/workers.ts';
import { threadModule } from '../support/program.ts';
import { chartYaml, packChart } from './packed-chart.ts';
import { serveRegistry } from './test-registry.ts';
import { indexYaml, serve, type TestResponse } from './test-repository.ts';

const never = new AbortController().signal;
const moduleUrl = threadModule('worker-thread');
const limits = { ...defaultRenderLimits, ...defaultChartLimits, ...defaultTextLimits };
const threads = createWorkers({ moduleUrl, limits, threads: 1 });
test.after.always(() => threads.close());

const versions = ['1.0.0', '1.2.0', '1.3.0', '2.0.0'];

/** Serves these versions of a chart `web`, whose description is the version. */
async function serveWeb(t: ExecutionContext) {
  const responses: Record<string, TestResponse> = {
    '/index.yaml': indexYaml({ web: versions.map((version) => ({ version })) }),
  };
  for (const version of versions) responses[`/web-${version}.tgz`] = await packChart(version);
  return serve(t, responses);
}

/** Writes the files of a chart `parent`, and returns a function that loads it. */
async function parent(t: ExecutionContext, files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'charts-'));
  t.teardown(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, 'parent', name)), { recursive: true });
    await writeFile(join(folder, 'parent', name), text);
  }
  const source = createChartSource({ localCharts: folder, reader: threads.chartReader, plainHttp: true });
  return async (request: Partial<ChartRequest> = { dependencyUpdate: true }) => {
    const content = await source.load({ chartName: 'parent', ...request }, never);
    const { dependencies } = await loadUnpacked(content.files);
    return dependencies.map(({ metadata }) => `${metadata.name} ${metadata.description ?? ''}`);
  };
}

const requiring = (dependencies: string) =>
  `apiVersion: v2\nname: parent\nversion: 1.0.0\ndependencies:\n${dependencies}`;
const dependency = (repository: string, version = '^1.0.0', name = 'web') =>
  `- name: ${name}\n  version: ${version}\n  repository: "${repository}"\n`;
const lock = (repository: string, version: string) => `dependencies:\n${dependency(repository, version)}digest: x\n`;

test('downloads the newest version in the range of a missing dependency', async (t) => {
  const { url } = await serveWeb(t);
  const load = await parent(t, { 'Chart.yaml': requiring(dependency(url)) });
  t.deepEqual(await load(), ['web 1.3.0']);
});

test('downloads the version of Chart.lock if Chart.yaml still allows it', async (t) => {
  const { url } = await serveWeb(t);
  const chart = requiring(dependency(url));
  t.deepEqual(await (await parent(t, { 'Chart.yaml': chart, 'Chart.lock': lock(url, '1.2.0') }))(), ['web 1.2.0']);
  t.deepEqual(await (await parent(t, { 'Chart.yaml': chart, 'Chart.lock': lock(url, '2.0.0') }))(), ['web 1.3.0']);
});

test('downloads a dependency from a registry', async (t) => {
  const { host } = await serveRegistry(t, { '1.1.0': await packChart('1.1.0'), '1.2.0': await packChart('1.2.0') });
  const load = await parent(t, { 'Chart.yaml': requiring(dependency(`oci://${host}/team`)) });
  t.deepEqual(await load(), ['web 1.2.0']);
});

test('leaves a dependency that is there, and takes one from a folder of the chart', async (t) => {
  const { url, requests } = await serveWeb(t);
  const load = await parent(t, {
    'Chart.yaml': requiring(dependency(url) + dependency('file://./parts/own/', '^1.0.0', 'own')),
    'charts/web/Chart.yaml': chartYaml('present'),
    'parts/own/Chart.yaml': 'apiVersion: v2\nname: own\nversion: 1.0.0\ndescription: inside\n',
  });
  t.deepEqual((await load()).sort(), ['own inside', 'web present']);
  t.deepEqual(requests, []);
});

test('a missing dependency is an error without dependencyUpdate, and nothing is downloaded', async (t) => {
  const { url, requests } = await serveWeb(t);
  const load = await parent(t, { 'Chart.yaml': requiring(dependency(url)) });
  await t.throwsAsync(load({}), { message: /missing in charts\/ directory: web$/ });
  t.deepEqual(requests, []);
});

const refusals: [string, string, string, RegExp][] = [
  ['outside of the chart', 'file://../other', 'path_forbidden', /dependency web is at .* outside of the chart/],
  ['at an absolute path', 'file:///etc', 'path_forbidden', /outside of the chart/],
  ['in a folder that does not exist', 'file://parts/none', 'chart_not_found', /no such folder/],
  ["in a repository of helm's configuration", '@stable', 'unsupported', /a name that only helm knows/],
  ['without a repository', '', 'chart_invalid', /missing in charts\/ directory: web$/],
];

for (const [what, repository, code, message] of refusals) {
  test(`refuses a dependency ${what}`, async (t) => {
    const load = await parent(t, { 'Chart.yaml': requiring(dependency(repository)) });
    const error = await t.throwsAsync(load(), { message });
    t.like(error, { code });
  });
}

test('refuses a downloaded chart with another name', async (t) => {
  const responses = { '/index.yaml': indexYaml({ cache: [{ version: '1.0.0' }] }) };
  const { url } = await serve(t, { ...responses, '/cache-1.0.0.tgz': await packChart('not cache') });
  const load = await parent(t, { 'Chart.yaml': requiring(dependency(url, '^1.0.0', 'cache')) });
  await t.throwsAsync(load(), { message: /missing in charts\/ directory: cache$/ });
});

test('sends the credentials of the chart only to its own host', async (t) => {
  const other = await serveWeb(t);
  const responses: Record<string, TestResponse> = { '/index.yaml': indexYaml({ web: [{ version: '1.0.0' }] }) };
  const own = await serve(t, responses);
  const source = createChartSource({ reader: threads.chartReader });
  const request = { chartName: 'web', repoUrl: own.url, username: 'joe', password: 'secret', dependencyUpdate: true };
  const loadWith = async (repository: string) => {
    responses['/web-1.0.0.tgz'] = await packChart(`parent\ndependencies:\n${dependency(repository)}`);
    const { files } = await source.load(request, never);
    t.is((await loadUnpacked(files)).dependencies.length, 1);
  };
  await loadWith(other.url);
  t.deepEqual(
    other.requests.map(({ authorization }) => authorization),
    [undefined, undefined],
  );
  await loadWith(own.url);
  t.is(own.requests.length, 6);
  t.true(own.requests.every(({ authorization }) => authorization?.startsWith('Basic ') === true));
});

for (const secret of [undefined, 'mirror']) {
  const got = secret === undefined ? 'no credentials' : 'those of its Secret, and not those of the chart';
  test(`a dependency comes from the mirror of its repository, which gets ${got}`, async (t) => {
    const origin = 'https://charts.example.com';
    const mirror = await serveWeb(t);
    const asked: unknown[] = [];
    const mirrors: SourceMirrors = {
      hosts: new Set([new URL(mirror.url).host]),
      mirrorOf: (url) => (url.startsWith(origin) ? { url: mirror.url + url.slice(origin.length), secret } : undefined),
      credentials: (name, { repoUrl, chartName }) => {
        asked.push([name, repoUrl, chartName]);
        return Promise.resolve({ username: 'mirror', password: 'of the mirror' });
      },
    };
    const own = await serve(t, {
      '/index.yaml': indexYaml({ web: [{ version: '1.0.0' }] }),
      '/web-1.0.0.tgz': await packChart(`parent\ndependencies:\n${dependency(origin)}`),
    });
    const source = createChartSource({ reader: threads.chartReader });
    const request = { chartName: 'web', repoUrl: own.url, username: 'joe', password: 'secret', dependencyUpdate: true };
    const { files } = await source.load({ ...request, mirrors }, never);
    t.is((await loadUnpacked(files)).dependencies.length, 1);
    t.true(mirror.requests.length >= 2);
    const basic = `Basic ${Buffer.from('mirror:of the mirror').toString('base64')}`;
    for (const { authorization } of mirror.requests) t.is(authorization, secret && basic);
    t.deepEqual(asked, secret === undefined ? [] : [[secret, mirror.url, 'web']]);
  });
}
