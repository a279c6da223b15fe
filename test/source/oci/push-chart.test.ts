import test, { type ExecutionContext } from 'ava';
import { MockAgent } from 'undici';
import { pushChart } from '../../../src/source/oci/push-chart.ts';
import { serve, sha256, type TestResponse } from '../test-repository.ts';

const chart = {
  metadata: { apiVersion: 'v2', name: 'web', version: '1.0.0' },
  archive: Buffer.from('archive'),
  created: new Date(0),
};

function push(host: string, dispatcher?: MockAgent): Promise<unknown> {
  const reference = { host, repository: 'team/web', tag: '', digest: '' };
  const client = { dispatcher, plainHttp: dispatcher === undefined };
  return pushChart(reference, chart, { username: 'joe', password: 's3cret' }, client, AbortSignal.timeout(20_000));
}

/** Serves a registry that has no blobs, and gives this address for uploads. */
async function registry(t: ExecutionContext, location: string, responses: Record<string, TestResponse> = {}) {
  const all: Record<string, TestResponse> = {
    '/v2/': '{}',
    '/v2/team/web/blobs/uploads/': (_, response) => response.writeHead(202, { location }).end(),
    '/upload': (_, response) => response.writeHead(201).end(),
    '/v2/team/web/manifests/1.0.0': (_, response) => response.writeHead(201).end(),
    ...responses,
  };
  const served = await serve(t, all);
  return { ...served, host: new URL(served.url).host, responses: all };
}

test('a chart is uploaded to another path of the registry', async (t) => {
  const { host, requests } = await registry(t, '/upload?state=a');
  await push(host);
  const uploads = requests.filter(({ url }) => url.startsWith('/upload?state=a&digest=sha256'));
  t.is(uploads.length, 2);
  t.true(uploads.every(({ authorization }) => authorization?.startsWith('Basic ')));
});

test('no chart is uploaded to another host than that of the registry', async (t) => {
  const other = await serve(t, { '/upload': (_, response) => response.writeHead(201).end() });
  const { host } = await registry(t, `${other.url}/upload`);
  await t.throwsAsync(push(host), { code: 'repository_invalid', message: new RegExp(`to ${other.url}, which`) });
  t.deepEqual(other.requests, []);
});

test('an upload to a registry with TLS does not continue without it', async (t) => {
  const agent = new MockAgent();
  t.teardown(() => agent.close());
  agent.disableNetConnect();
  const origin = agent.get('https://registry.example:5000');
  origin.intercept({ path: '/v2/' }).reply(200, '{}');
  origin.intercept({ path: /blobs\/sha256/, method: 'HEAD' }).reply(404);
  const headers = { location: 'http://registry.example:5000/upload' };
  origin.intercept({ path: '/v2/team/web/blobs/uploads/', method: 'POST' }).reply(202, '', { headers });
  const refused = { code: 'repository_invalid', message: /to http:\/\/registry\.example:5000, which is refused/ };
  await t.throwsAsync(push('registry.example:5000', agent), refused);
});

test('what a registry has in a storage is found there without credentials, and not uploaded', async (t) => {
  const blob = `/v2/team/web/blobs/sha256:${sha256(chart.archive)}`;
  const storage = await serve(t, { '/stored': '' });
  const redirect: TestResponse = (_, response) => response.writeHead(307, { location: `${storage.url}/stored` }).end();
  const { host, requests } = await registry(t, '/upload', { [blob]: redirect });
  await push(host);
  t.deepEqual(storage.requests, [{ url: '/stored', authorization: undefined }]);
  t.is(requests.filter(({ url }) => url.startsWith('/upload')).length, 1);
});

test('a push ends at a registry that redirects without an end', async (t) => {
  const redirect: TestResponse = (request, response) => response.writeHead(307, { location: request.url }).end();
  const blob = `/v2/team/web/blobs/sha256:${sha256(chart.archive)}`;
  const { host, requests } = await registry(t, '/upload', { [blob]: redirect });
  await t.throwsAsync(push(host), { code: 'repository_failed', message: /too many redirects/ });
  t.is(requests.filter(({ url }) => url === blob).length, 10);
});

test('an error about a push has the reason of the registry', async (t) => {
  const errors = [{ code: 'DENIED', message: 'the project is full' }];
  const refusal: TestResponse = (_, response) => response.writeHead(403).end(JSON.stringify({ errors }));
  for (const path of ['/v2/team/web/blobs/uploads/', '/upload', '/v2/team/web/manifests/1.0.0']) {
    const { host } = await registry(t, '/upload', { [path]: refusal });
    const message = /responded with status 403: denied: the project is full; check the user name/;
    await t.throwsAsync(push(host), { code: 'repository_unauthorized', message }, path);
  }
});

test('a manifest that the registry stores in another form than it was pushed is an error', async (t) => {
  const stored =
    (digest: string): TestResponse =>
    (_, response) =>
      response.writeHead(201, { 'docker-content-digest': digest }).end();
  const manifest = '/v2/team/web/manifests/1.0.0';
  const { host, responses } = await registry(t, '/upload', { [manifest]: stored(`sha256:${'0'.repeat(64)}`) });
  const error = await t.throwsAsync(push(host), { code: 'digest_mismatch', message: /has stored another manifest/ });
  const [right = ''] = /sha256:[\da-f]{64}/.exec(error.message) ?? [];
  responses[manifest] = stored(right);
  await t.notThrowsAsync(push(host));
});
