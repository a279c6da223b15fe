import test from 'ava';
import type { ChartRequest, SourceMirrors } from '../../src/source/chart-request.ts';
import { createChartSource } from '../../src/source/chart-source.ts';
import { mirroredRequest } from '../../src/source/mirrored-request.ts';
import { descriptionOf } from './chart-description.ts';
import { packChart } from './packed-chart.ts';
import { serveRegistry } from './test-registry.ts';
import { indexYaml, serve } from './test-repository.ts';

const archive = await packChart('of the mirror');
const origin = 'https://charts.example.com';
const never = new AbortController().signal;

const mirrorsTo = (url: string, from = origin, hosts: readonly string[] = []): SourceMirrors => ({
  hosts: new Set([new URL(url.replace('oci:', 'http:')).host, ...hosts]),
  mirrorOf: (given) =>
    given.startsWith(from) ? { url: url + given.slice(from.length), secret: undefined } : undefined,
});

async function load(given: ChartRequest, mirrors: SourceMirrors): Promise<string | undefined> {
  const request = (await mirroredRequest({ ...given, mirrors }, mirrors, never)) ?? { ...given, mirrors };
  const source = createChartSource({ plainHttp: true });
  return descriptionOf(await source.load(request, never));
}

test('a repository and its files come from the mirror, without the credentials for another host', async (t) => {
  const { url, requests } = await serve(t, {
    '/index.yaml': indexYaml({ web: [{ version: '1.0.0', url: `${origin}/files/web.tgz` }] }),
    '/files/web.tgz': archive,
  });
  const request = { repoUrl: origin, chartName: 'web', username: 'joe', password: 'secret', token: 'token' };
  t.is(await load(request, mirrorsTo(url)), 'of the mirror');
  t.deepEqual(
    requests.map(({ url: path, authorization }) => [path, authorization]),
    [
      ['/index.yaml', undefined],
      ['/files/web.tgz', undefined],
    ],
  );
});

test('a chart in a registry comes from the mirror, by its URL or by its name', async (t) => {
  const { host } = await serveRegistry(t, { '1.0.0': archive });
  const mirrors = mirrorsTo(`oci://${host}/team`, 'oci://ghcr.io/vendor');
  t.is(await load({ chartName: 'oci://ghcr.io/vendor/web:1.0.0' }, mirrors), 'of the mirror');
  t.is(
    await load({ repoUrl: 'oci://ghcr.io/vendor/', chartName: 'web', chartVersion: '1.0.0' }, mirrors),
    'of the mirror',
  );
});

test('a mirror that leads to another host is refused, by redirects and by its index', async (t) => {
  const other = await serve(t, { '/web.tgz': archive });
  const { url } = await serve(t, {
    '/index.yaml': indexYaml({ web: [{ version: '1.0.0', url: `${other.url}/web.tgz` }] }),
    '/web.tgz': (_, response) => response.writeHead(302, { location: `${other.url}/web.tgz` }).end(),
  });
  for (const request of [{ repoUrl: origin, chartName: 'web' }, { chartName: `${origin}/web.tgz` }]) {
    const message = /the mirror leads to 127\.0\.0\.1:\d+, which is no mirror/;
    await t.throwsAsync(load(request, mirrorsTo(url)), { code: 'address_denied', message });
    t.deepEqual(other.requests, []);
  }
  const mirrors = mirrorsTo(url, origin, [new URL(other.url).host]);
  t.is(await load({ chartName: `${origin}/web.tgz` }, mirrors), 'of the mirror');
});

test('an index of another repository leads to the mirror, too', async (t) => {
  const { url, requests } = await serve(t, { '/web.tgz': archive });
  const repository = await serve(t, {
    '/index.yaml': indexYaml({ web: [{ version: '1.0.0', url: `${origin}/web.tgz` }] }),
  });
  t.is(await load({ repoUrl: repository.url, chartName: 'web' }, mirrorsTo(url)), 'of the mirror');
  t.is(requests.length, 1);
});

test('a URL with a user is refused, and charts that are sent or local stay', async (t) => {
  const mirrors = mirrorsTo('https://mirror.internal');
  const ask = (request: ChartRequest) => mirroredRequest(request, mirrors, never);
  const code = 'invalid_repository_url';
  await t.throwsAsync(ask({ repoUrl: `${origin}@evil.com`, chartName: 'web' }), { code });
  await t.throwsAsync(ask({ chartName: 'oci://u:p@ghcr.io/a' }), { code });
  t.is(await ask({ chartName: './web' }), undefined);
  t.is(await ask({ chartName: `${origin}/a`, archive }), undefined);
  t.is(await ask({ chartName: 'https://other.example/a.tgz' }), undefined);
});
