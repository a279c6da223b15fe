import test, { type ExecutionContext } from 'ava';
import type { ChartRequest } from '../../../src/source/chart-request.ts';
import { createChartSource } from '../../../src/source/chart-source.ts';
import { descriptionOf } from '../chart-description.ts';
import { packChart } from '../packed-chart.ts';
import {
  indexYaml,
  serve,
  sha256,
  type TestEntry,
  type TestRepository,
  type TestResponse,
} from '../test-repository.ts';

const source = createChartSource();

async function load(request: ChartRequest): Promise<string | undefined> {
  return descriptionOf(await source.load(request, new AbortController().signal));
}

async function serveCharts(t: ExecutionContext, entries: TestEntry[], folder = ''): Promise<TestRepository> {
  const responses: Record<string, TestResponse> = { [`${folder}/index.yaml`]: indexYaml({ web: entries }) };
  for (const { version } of entries) responses[`${folder}/web-${version}.tgz`] = await packChart(`web ${version}`);
  return serve(t, responses);
}

const selects = test.macro({
  title: (_, wanted: string | undefined, version: string) =>
    `selects ${version} for ${wanted === undefined ? 'no version' : `the version ${JSON.stringify(wanted)}`}`,
  async exec(t, wanted: string | undefined, version: string) {
    const versions = [
      '0.9.0',
      '1.2.3',
      '2.0.0-rc.1',
      '1.10.0',
      'v1.4.0',
      '1.5.0+build.7',
      '1.11.0-beta.1',
      '0.8.0+a',
      '0.8.0+b',
    ];
    const repository = await serveCharts(
      t,
      versions.map((each) => ({ version: each })),
    );
    t.is(await load({ repoUrl: repository.url, chartName: 'web', chartVersion: wanted }), `web ${version}`);
  },
});

test(selects, undefined, '1.10.0');
test(selects, '', '1.10.0');
test(selects, '1.2.3', '1.2.3');
test(selects, ' ', '1.10.0');
test(selects, ' 1.2.3 ', '1.2.3');
test(selects, '0.8.0+b', '0.8.0+b');
test(selects, '0.8.0', '0.8.0+a');
test(selects, 'v1.2.3', '1.2.3');
test(selects, '1.4.0', 'v1.4.0');
test(selects, 'v1.4.0', 'v1.4.0');
test(selects, '1.5.0', '1.5.0+build.7');
test(selects, '1.11.0-beta.1', '1.11.0-beta.1');
test(selects, '^1', '1.10.0');
test(selects, '~1.2', '1.2.3');
test(selects, '1.x', '1.10.0');
test(selects, '>=1.0.0 <1.5.0', 'v1.4.0');
test(selects, '>0.0.0-0', '2.0.0-rc.1');
test(selects, '>=1.11.0-0, <2.0.0-0', '1.11.0-beta.1');

test('uses the first entry of a version that the index has twice', async (t) => {
  const repository = await serve(t, {
    '/index.yaml': indexYaml({
      web: [
        { version: '1.0.0', url: 'first.tgz' },
        { version: '1.0.0', url: 'second.tgz' },
      ],
    }),
    '/first.tgz': await packChart('first'),
    '/second.tgz': await packChart('second'),
  });
  t.is(await load({ repoUrl: repository.url, chartName: 'web' }), 'first');
});

for (const slash of ['', '/']) {
  test(`resolves a relative URL below a repository URL that ends with "${slash}", with its query`, async (t) => {
    const repository = await serveCharts(t, [{ version: '1.0.0' }], '/team/charts');
    const repoUrl = `${repository.url}/team/charts${slash}?token=abc`;
    t.is(await load({ repoUrl, chartName: 'web' }), 'web 1.0.0');
    t.deepEqual(
      repository.requests.map(({ url }) => url),
      ['/team/charts/index.yaml?token=abc', '/team/charts/web-1.0.0.tgz?token=abc'],
    );
  });
}

test('uses an absolute URL unchanged, with its own query', async (t) => {
  const archives = await serve(t, { '/elsewhere/web.tgz': await packChart('from elsewhere') });
  const repository = await serveCharts(t, [{ version: '1.0.0', url: `${archives.url}/elsewhere/web.tgz?v=1` }]);
  t.is(await load({ repoUrl: `${repository.url}?token=abc`, chartName: 'web' }), 'from elsewhere');
  t.is(archives.requests[0]?.url, '/elsewhere/web.tgz?v=1');
});

test('does not add the query of the repository to a URL without a scheme on another host', async (t) => {
  const archives = await serve(t, { '/web.tgz': await packChart('from elsewhere') });
  const repository = await serveCharts(t, [{ version: '1.0.0', url: archives.url.replace('http:', '') + '/web.tgz' }]);
  t.is(await load({ repoUrl: `${repository.url}?token=abc`, chartName: 'web' }), 'from elsewhere');
  t.is(archives.requests[0]?.url, '/web.tgz');
});

for (const prefix of ['', 'sha256:']) {
  test(`accepts an archive that matches the digest "${prefix}…" of the index`, async (t) => {
    const repository = await serveCharts(t, [
      { version: '1.0.0', digest: prefix + sha256(await packChart('web 1.0.0')) },
    ]);
    t.is(await load({ repoUrl: repository.url, chartName: 'web' }), 'web 1.0.0');
  });
}

test('loads the archive at the URL that the chart name is, and ignores the version', async (t) => {
  const archives = await serve(t, { '/web-1.0.0.tgz': await packChart('by URL') });
  t.is(await load({ chartName: `${archives.url}/web-1.0.0.tgz`, chartVersion: '9' }), 'by URL');
});

test('follows a redirect', async (t) => {
  const repository = await serve(t, {
    '/index.yaml': (_, response) => response.writeHead(302, { location: '/moved/index.yaml' }).end(),
    '/moved/index.yaml': indexYaml({ web: [{ version: '1.0.0' }] }),
    '/web-1.0.0.tgz': await packChart('web'),
  });
  t.is(await load({ repoUrl: repository.url, chartName: 'web' }), 'web');
});
