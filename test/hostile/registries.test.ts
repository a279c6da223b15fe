import test, { type ExecutionContext } from 'ava';
import type { ChartRequest } from '../../src/source/chart-request.ts';
import { type ChartSourceOptions, createChartSource } from '../../src/source/chart-source.ts';
import { parseDeniedAddresses } from '../../src/source/http/denied-addresses.ts';
import { bearerChallenge, nextPage } from '../../src/source/oci/registry-access.ts';
import { isOwnTokenService } from '../../src/source/oci/token-service.ts';
import { packChart } from '../source/packed-chart.ts';
import { serve, type TestResponse } from '../source/test-repository.ts';

async function download(request: ChartRequest, options: ChartSourceOptions = {}): Promise<string> {
  try {
    const source = createChartSource({ plainHttp: true, ...options });
    await source.download(request, AbortSignal.timeout(20_000));
    return 'ok';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

const denied = parseDeniedAddresses(['loopback', 'link-local', 'metadata', 'private', '198.51.100.7']);
for (const address of [
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '64:ff9b::7f00:1',
  '169.254.169.254',
  '::ffff:169.254.169.254',
  'fe80::1%eth0',
  'fd00:ec2::254',
  '100.100.100.200',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.1.1',
  'fc00::1',
  '198.51.100.7',
  '0.1.2.3',
  '::127.0.0.1',
  '::ffff:0:127.0.0.1',
  '::ffff:0:7f00:1',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '64:ff9b:1::7f00:1',
  '64:ff9b:1:7f00:0:100::',
  '64:ff9b:1:7f:0:1::',
  '64:ff9b:1:0:7f:0:100::',
  '64:ff9b:1:abcd::10.1.2.3',
  '2002:7f00:1::',
  '2002:a9fe:a9fe:1::5',
  '2001:0:7f00:1::',
  '2001::80ff:fffe',
  'fe80::5efe:10.1.2.3',
  '2001:db8::5efe:a9fe:a9fe',
  '2001:db8::200:5efe:a9fe:a9fe%eth0',
  'fd00:ec2::23',
  'fd20:ce::254',
  '169.254.170.2',
  'not an address',
]) {
  test(`denies ${address}`, (t) => {
    t.true(denied.has(address));
  });
}

test('does not deny public addresses', (t) => {
  for (const address of [
    ...['8.8.8.8', '2001:4860:4860::8888', '198.51.100.8', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'],
    ...['2002:808:808::', '2001:0:808:808::f7f7:f7f7', '2001:db8::5efe:8.8.8.8', '1::'],
  ]) {
    t.false(denied.has(address), address);
  }
});

for (const range of [
  '',
  'everything',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0/8',
  '::1/129',
  '1.2.3.4/-1',
]) {
  test(`does not accept the range ${JSON.stringify(range)}`, (t) => {
    t.throws(() => parseDeniedAddresses([range]), { message: /is neither an address/ });
  });
}

const guarded = { denyAddresses: ['loopback'] };

for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f.1', '2130706433']) {
  test(`connects to ${host} only if loopback addresses are not denied`, async (t) => {
    const repository = await serve(t, { '/web.tgz': await packChart('web') });
    const chartName = `${repository.url.replace('127.0.0.1', host)}/web.tgz`;
    t.is(await download({ chartName }, guarded), 'address_denied');
    t.is(await download({ chartName: 'web', repoUrl: chartName.replace('/web.tgz', '') }, guarded), 'address_denied');
    const registry = chartName.replace('http://', 'oci://').replace('.tgz', ':1.0.0');
    if (!host.startsWith('[::ffff')) t.is(await download({ chartName: registry }, guarded), 'address_denied');
    t.is(repository.requests.length, 0);
    if (host === '127.0.0.1') t.is(await download({ chartName }), 'ok');
  });
}

test('does not follow a redirect to a denied address', async (t) => {
  const inner = await serve(t, { '/secret': 'secret' });
  const outer = await serve(t, {
    '/web.tgz': (_, response) =>
      response.writeHead(302, { location: inner.url.replace('127.0.0.1', '127.0.0.2') }).end(),
  });
  const code = await download({ chartName: `${outer.url}/web.tgz` }, { denyAddresses: ['127.0.0.2'] });
  t.is(code, 'address_denied');
  t.is(inner.requests.length, 0);
});

test('does not fetch a token from a denied address', async (t) => {
  const challenge: TestResponse = (_, response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer realm="http://127.0.0.2:1/token"' }).end();
  };
  const { url } = await serve(t, { '/v2/': challenge });
  const chartName = `${url.replace('http', 'oci')}/team/web:1.0.0`;
  t.is(await download({ chartName }, { denyAddresses: ['127.0.0.2'] }), 'address_denied');
});

const credentials = { username: 'joe', password: 's3cret' };

test('sends credentials to a token service on another host only with passCredentials', async (t) => {
  const service = await serve(t, { '/token': JSON.stringify({ token: 'x' }) });
  const realm = service.url.replace('127.0.0.1', 'localhost');
  const challenge: TestResponse = (_, response) => {
    response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}/token"` }).end();
  };
  const registry = await serve(t, { '/v2/': challenge });
  const chartName = `${registry.url.replace('http', 'oci')}/team/web:1.0.0`;
  t.is(await download({ chartName, ...credentials }), 'repository_unauthorized');
  t.is(service.requests.length, 0);
  await download({ chartName, ...credentials, passCredentials: true });
  t.regex(service.requests[0]?.authorization ?? '', /^Basic /);
});

const service = test.macro({
  title: (_, realm: string, registry: string, isOwn: boolean) =>
    `${realm} ${isOwn ? 'gets' : 'does not get'} the credentials for ${registry}`,
  exec(t, realm: string, registry: string, isOwn: boolean) {
    t.is(isOwnTokenService(new URL(`https://${realm}/token`), new URL(`https://${registry}/v2/`)), isOwn);
  },
});
test(service, 'auth.docker.io', 'registry-1.docker.io', true);
test(service, 'auth.docker.io', 'index.docker.io', true);
test(service, 'ghcr.io', 'ghcr.io', true);
test(service, 'gitlab.com', 'registry.gitlab.com', true);
test(service, 'api.digitalocean.com', 'registry.digitalocean.com', true);
test(service, 'gitlab.example.co.uk', 'gitlab.example.co.uk:5050', true);
test(service, '127.0.0.1:5001', '127.0.0.1:5000', true);
test(service, 'auth.evil.example', 'registry-1.docker.io', false);
test(service, 'evil.co.uk', 'registry.co.uk', false);
test(service, 'docker.io.evil.example', 'registry-1.docker.io', false);
test(service, '10.0.0.1', '11.0.0.1', false);
test(service, 'localhost', 'registry', false);
for (const domain of [
  ...['azurecr.io', 'azurecr.us', 'jfrog.io', 'dkr.ecr.us-east-1.amazonaws.com', 'pkg.dev', 'ocir.io'],
  ...['github.io', 'herokuapp.com', 'run.app', 'azurewebsites.net', 'fly.dev', 'com.br', 'AzureCR.io', 'azurecr.io.'],
]) {
  test(service, `evil.${domain}`, `ours.${domain}`, false);
  test(service, `ours.${domain}`, `ours.${domain}:443`, true);
}
test(service, 'azurecr.io', 'ours.azurecr.io', false);
test(service, 'notazurecr.io', 'registry.notazurecr.io', true);
test(service, 'auth.corp.internal', 'registry.corp.internal', true);

/** Serves a list of tags whose pages a function makes. */
async function loadTags(t: ExecutionContext, page: (url: URL) => { tags: unknown; link?: string }): Promise<string> {
  const registry = await serve(t, {
    '/v2/': '{}',
    '/v2/team/web/tags/list': (request, response) => {
      const { tags, link } = page(new URL(request.url ?? '', 'http://registry'));
      response.writeHead(200, link === undefined ? {} : { link }).end(JSON.stringify({ tags }));
    },
  });
  const code = await download({ chartName: `${registry.url.replace('http', 'oci')}/team/web` });
  return `${code} after ${registry.requests.length - 1} pages`;
}

test('stops at a list of tags that never ends', async (t) => {
  let count = 0;
  t.is(await loadTags(t, () => ({ tags: [`1.0.${count++}`] })), 'too_large after 100 pages');
  t.is(
    await loadTags(t, () => ({ tags: Array.from({ length: 4000 }, () => `1.0.${count++}`) })),
    'too_large after 3 pages',
  );
  t.is(await loadTags(t, () => ({ tags: ['1.0.0'] })), 'repository_not_found after 3 pages');
});

test('reads a page of tags that is too large or wrong in little time', async (t) => {
  const start = performance.now();
  t.is(await loadTags(t, () => ({ tags: ['x'.repeat(2_000_000)] })), 'too_large after 1 pages');
  t.is(
    await loadTags(t, () => ({ tags: Array.from({ length: 400_000 }, () => 0) })),
    'repository_invalid after 1 pages',
  );
  t.true(performance.now() - start < 10_000);
});

test('follows a Link header on the same host only', async (t) => {
  const paged = (url: URL) =>
    url.searchParams.has('page')
      ? { tags: ['1.1.0'] }
      : { tags: ['1.0.0'], link: '</v2/team/web/tags/list?page=2>; rel="next"' };
  t.regex(await loadTags(t, paged), /^repository_not_found/);
  const other = await serve(t, {});
  const away = () => ({ tags: ['1.0.0'], link: `<${other.url}/v2/team/web/tags/list>; rel="next"` });
  t.is(await loadTags(t, away), 'repository_invalid after 1 pages');
  t.is(other.requests.length, 0);
});

test('reads challenges and links of any form in linear time', (t) => {
  const start = performance.now();
  for (const piece of ['a', 'a=', 'a="', 'a="b', '<', '<>', '<a>;', ' ', ';rel=']) {
    const text = piece.repeat(100_000);
    bearerChallenge([`Bearer ${text}`]);
    nextPage(text);
  }
  t.true(performance.now() - start < 5000);
  t.is(nextPage('</a>; rel="prev", </b>; rel=next'), '/b');
  t.is(nextPage('</a>; rel="nextish"'), undefined);
  t.is(bearerChallenge(['Basic x', 'bearer Realm="a",service="b"'])?.get('realm'), 'a');
  t.deepEqual(
    bearerChallenge(['Bearer realm="https://a/t?x=y",service=b, scope=c:d']),
    new Map([
      ['realm', 'https://a/t?x=y'],
      ['service', 'b'],
      ['scope', 'c:d'],
    ]),
  );
});

test('stops an index that is sent in chunks of one byte at the limit', async (t) => {
  const repository = await serve(t, {
    '/index.yaml': (_, response) => {
      const send = () => {
        for (let i = 0; i < 1000 && !response.destroyed; i++) response.write('x');
        if (!response.destroyed) setImmediate(send);
      };
      send();
    },
  });
  t.is(await download({ chartName: 'web', repoUrl: repository.url }, { maxIndexBytes: 5000 }), 'too_large');
});

test('ends an index that is sent too slowly', async (t) => {
  const repository = await serve(t, {
    '/index.yaml': (_, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    },
  });
  t.is(await download({ chartName: 'web', repoUrl: repository.url }, { timeoutMs: 200 }), 'repository_timeout');
});

test('reads the repository URL of many slashes in linear time', async (t) => {
  const start = performance.now();
  await download({ chartName: 'web', repoUrl: `oci://host${'/'.repeat(1_000_000)}a` });
  t.true(performance.now() - start < 5000);
});
