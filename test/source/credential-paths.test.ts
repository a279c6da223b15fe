import test from 'ava';
import type { ChartRequest } from '../../src/source/chart-request.ts';
import { createChartSource } from '../../src/source/chart-source.ts';
import { isBelowPaths } from '../../src/source/http/http-url.ts';
import { credentialsInSecret } from '../../src/source/secret-credentials.ts';
import { archiveOf } from '../bin/support/archive.ts';
import { packChart } from './packed-chart.ts';
import { indexYaml, serve } from './test-repository.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const login = { username: base64('ada'), password: base64('Sentinel4711') };

function isAllowed(annotation: string, chart: Pick<ChartRequest, 'repoUrl' | 'chartName'>): boolean {
  const metadata = { name: 'charts', annotations: { 'helm-agent/chart-hosts': annotation } };
  try {
    credentialsInSecret({ metadata, data: login }, chart);
    return true;
  } catch {
    return false;
  }
}

const table: [annotation: string, repoUrl: string, chartName: string, isRight: boolean][] = [
  ['ghcr.io/team', 'oci://ghcr.io/team', 'web', true],
  ['ghcr.io/team/', 'oci://ghcr.io/team/deep', 'web', true],
  ['ghcr.io/team/web', '', 'oci://ghcr.io/team/web:1.0.0', true],
  ['GHCR.io/team', 'oci://GHCR.IO/team', 'web', true],
  ['other.example, ghcr.io/team', 'oci://ghcr.io', 'team/web', true],
  ['ghcr.io/a,ghcr.io/team', 'oci://ghcr.io/team', 'web', true],
  ['http://charts.example/stable', 'http://charts.example/stable', 'web', true],
  ['charts.example/stable', '', 'https://charts.example/stable/web-1.0.0%2B1.tgz', true],
  ['ghcr.io/team', 'oci://ghcr.io/other', 'web', false],
  ['ghcr.io/team', 'oci://ghcr.io/team-b', 'web', false],
  ['ghcr.io/team', 'oci://ghcr.io', 'web', false],
  ['ghcr.io/Team', 'oci://ghcr.io/team', 'web', false],
  ['ghcr.io/team', 'oci://ghcr.io/team', '../other/web', false],
  ['charts.example/stable', 'https://charts.example/stable/../secret', 'web', false],
  ['charts.example/stable', 'https://charts.example/stable/%2e%2e/secret', 'web', false],
  ['charts.example/stable', 'https://charts.example/stable%2f..%2fsecret', 'web', false],
  ['charts.example/stable', 'https://charts.example/stable/..%2fsecret', 'web', false],
  ['charts.example/stable', 'https://charts.example//stable', 'web', false],
  ['charts.example/stable', String.raw`https://charts.example/stable\..\secret`, 'web', false],
  ['charts.example/a/..', 'https://charts.example/b', 'web', false],
  ['charts.example/%2e', 'https://charts.example/%2e', 'web', false],
  ['charts.example?', 'https://charts.example/b', 'web', false],
  ['ada@charts.example', 'https://charts.example/b', 'web', false],
  ['charts.example/stable', 'http://charts.example/stable', 'web', false],
];
for (const [annotation, repoUrl, chartName, isRight] of table) {
  const chart = `${repoUrl} ${chartName}`.trim();
  test(`a Secret for ${annotation} ${isRight ? 'is' : 'is not'} used for ${chart}`, (t) => {
    t.is(isAllowed(annotation, { repoUrl, chartName }), isRight);
  });
}

test('an entry of a registry configuration can be for a part of the registry', (t) => {
  const auths = { 'ghcr.io': login, 'ghcr.io/team': { username: 'team', password: 'x' } };
  const read = (entries: object, repoUrl: string) =>
    credentialsInSecret(
      {
        metadata: { name: 'charts' },
        type: 'kubernetes.io/dockerconfigjson',
        data: { '.dockerconfigjson': base64(JSON.stringify({ auths: entries })) },
      },
      { repoUrl, chartName: 'web' },
    );
  t.deepEqual(read(auths, 'oci://ghcr.io/team'), { username: 'team', password: 'x', credentialPaths: ['/team'] });
  t.is(read(auths, 'oci://ghcr.io/other').username, login.username);
  t.throws(() => read({ 'ghcr.io/team': login }, 'oci://ghcr.io/other'), { code: 'repository_unauthorized' });
});

test('a path is below others by whole segments', (t) => {
  t.true(isBelowPaths('/a/b', undefined));
  t.true(isBelowPaths('/a/b/c', ['/x', '/a/b/']));
  t.false(isBelowPaths('/a/bc', ['/a/b']));
  t.false(isBelowPaths('/a', ['/a/b']));
  t.false(isBelowPaths('/a/b', []));
});

test('credentials for a path are sent neither to the rest of the host nor after a redirect there', async (t) => {
  const archive = await packChart('web');
  const { url, requests } = await serve(t, {
    '/stable/index.yaml': indexYaml({
      web: [{ version: '1.0.0', url: '/other/web.tgz' }],
      moved: [{ version: '1.0.0', url: 'moved.tgz' }],
      own: [{ version: '1.0.0', url: 'own.tgz' }],
    }),
    '/other/web.tgz': archive,
    '/stable/own.tgz': archive,
    '/stable/moved.tgz': (_, response) => response.writeHead(302, { location: '/other/web.tgz' }).end(),
  });
  const source = createChartSource();
  const request = { repoUrl: `${url}/stable`, username: 'ada', password: 'x', credentialPaths: ['/stable'] };
  for (const chartName of ['web', 'moved', 'own'])
    await source.download({ ...request, chartName }, AbortSignal.timeout(9000));
  const sent = requests.map((each) => `${each.url} ${each.authorization === undefined ? 'without' : 'with'}`);
  t.deepEqual(
    [...new Set(sent)],
    ['/stable/index.yaml with', '/other/web.tgz without', '/stable/moved.tgz with', '/stable/own.tgz with'],
  );
});

test('credentials for a path are not sent for a dependency that a chart names beside it', async (t) => {
  const sent: (string | undefined)[] = [];
  const { url } = await serve(t, {
    '/v2/': (request, response) => {
      sent.push(request.headers.authorization);
      response.end('{}');
    },
    '/v2/secret/web/manifests/1.0.0': (request, response) => {
      sent.push(request.headers.authorization);
      response.writeHead(404).end();
    },
  });
  const registry = url.replace('http', 'oci');
  const archive = await archiveOf({
    'p/Chart.yaml': `apiVersion: v2\nname: p\nversion: 1.0.0\ndependencies:\n- {name: web, version: 1.0.0, repository: "${registry}/secret"}\n`,
  });
  const login = { username: 'ada', password: 'x', credentialPaths: ['/team'] };
  const request = { chartName: 'p', repoUrl: `${registry}/team`, dependencyUpdate: true, archive, ...login };
  await t.throwsAsync(createChartSource({ plainHttp: true }).load(request, AbortSignal.timeout(9000)), {
    code: 'repository_not_found',
  });
  t.deepEqual(sent, [undefined, undefined]);
});
