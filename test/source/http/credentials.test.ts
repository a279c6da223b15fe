import { inspect } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import type { ChartRequest } from '../../../src/source/chart-request.ts';
import { createChartSource } from '../../../src/source/chart-source.ts';
import { packChart } from '../packed-chart.ts';
import { indexYaml, serve, type TestRepository, type TestResponse } from '../test-repository.ts';

const source = createChartSource();
const web = await packChart('web');
const login = { username: 'ada', password: 'sesame&50%' };
const loginHeader = basic('ada:sesame&50%');

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

async function load(request: Omit<ChartRequest, 'chartName'>): Promise<void> {
  await source.load({ chartName: 'web', ...request }, new AbortController().signal);
}

function authorizations({ requests }: TestRepository): (string | undefined)[] {
  return requests.map(({ authorization }) => authorization);
}

function serveChart(
  t: ExecutionContext,
  url: string,
  responses: Record<string, TestResponse> = {},
): Promise<TestRepository> {
  return serve(t, { '/index.yaml': indexYaml({ web: [{ version: '1.0.0', url }] }), '/web.tgz': web, ...responses });
}

function redirectTo(location: string): TestResponse {
  return (_, response) => response.writeHead(302, { location }).end();
}

test('sends user name and password to the repository for index and archive', async (t) => {
  const repository = await serveChart(t, 'web.tgz');
  await load({ repoUrl: repository.url, ...login });
  t.deepEqual(authorizations(repository), [loginHeader, loginHeader]);
});

test('sends them to an absolute URL on the repository, too', async (t) => {
  const responses: Record<string, TestResponse> = { '/web.tgz': web };
  const repository = await serve(t, responses);
  responses['/index.yaml'] = indexYaml({ web: [{ version: '1.0.0', url: `${repository.url}/web.tgz` }] });
  await load({ repoUrl: repository.url, ...login });
  t.deepEqual(authorizations(repository), [loginHeader, loginHeader]);
});

test('sends no credentials without a password, as in Helm', async (t) => {
  const repository = await serveChart(t, 'web.tgz');
  await load({ repoUrl: repository.url, username: 'ada' });
  t.deepEqual(authorizations(repository), [undefined, undefined]);
});

test('uses the userinfo of the repository URL if there are no user name and password', async (t) => {
  const repository = await serveChart(t, 'web.tgz');
  const repoUrl = repository.url.replace('//', '//bob:open%20up@');
  await load({ repoUrl });
  await load({ repoUrl, ...login });
  t.deepEqual(authorizations(repository), [basic('bob:open up'), basic('bob:open up'), loginHeader, loginHeader]);
});

test('does not send credentials to another port of the same host', async (t) => {
  const archives = await serve(t, { '/web.tgz': web });
  const repository = await serveChart(t, `${archives.url}/web.tgz`);
  await load({ repoUrl: repository.url, ...login });
  await load({ repoUrl: repository.url.replace('//', '//bob:secret@') });
  t.deepEqual(authorizations(archives), [undefined, undefined]);
});

test('sends credentials to another port with passCredentials', async (t) => {
  const archives = await serve(t, { '/web.tgz': web });
  const repository = await serveChart(t, `${archives.url}/web.tgz`);
  await load({ repoUrl: repository.url, ...login, passCredentials: true });
  t.deepEqual(authorizations(archives), [loginHeader]);
});

test('uses the userinfo in the URL of an archive', async (t) => {
  const archives = await serve(t, { '/web.tgz': web });
  const repository = await serveChart(t, `${archives.url.replace('//', '//bob:secret@')}/web.tgz`);
  await load({ repoUrl: repository.url, ...login });
  t.deepEqual(authorizations(archives), [basic('bob:secret')]);
});

const follows = test.macro(async (t, redirects: number, isFollowed: boolean) => {
  const ways = Array.from({ length: redirects }, (_, index): [string, TestResponse] => [
    index === 0 ? '/web.tgz' : `/${index}`,
    redirectTo(index === redirects - 1 ? '/final.tgz' : `/${index + 1}`),
  ]);
  const repository = await serveChart(t, 'web.tgz', { ...Object.fromEntries(ways), '/final.tgz': web });
  const loading = load({ repoUrl: repository.url });
  await (isFollowed ? t.notThrowsAsync(loading) : t.throwsAsync(loading, { message: /too many redirects/ }));
});

test('nine redirects are followed, as in Helm', follows, 9, true);
test('ten redirects are too many', follows, 10, false);

test('keeps credentials through redirects on the repository, and drops them for good if one leaves it', async (t) => {
  const responses: Record<string, TestResponse> = { '/final.tgz': web };
  const repository = await serve(t, responses);
  const other = await serve(t, { '/web.tgz': redirectTo(`${repository.url}/final.tgz`) });
  responses['/index.yaml'] = indexYaml({ web: [{ version: '1.0.0', url: 'web.tgz' }] });
  responses['/web.tgz'] = redirectTo('/moved.tgz');
  responses['/moved.tgz'] = redirectTo(`${other.url}/web.tgz`);
  await load({ repoUrl: repository.url, ...login });
  t.deepEqual(authorizations(other), [undefined]);
  t.deepEqual(
    repository.requests.map(({ url, authorization }) => [url, authorization === loginHeader]),
    [
      ['/index.yaml', true],
      ['/web.tgz', true],
      ['/moved.tgz', true],
      ['/final.tgz', false],
    ],
  );
});

const keepsSecret = test.macro(async (t, responses: Record<string, TestResponse>, code: string, timeoutMs?: number) => {
  const repository = await serve(t, responses);
  const source = createChartSource({ timeoutMs, maxIndexBytes: 10_000 });
  const request = {
    chartName: 'web',
    repoUrl: `${repository.url.replace('//', '//bob:s3cret@')}/?token=s3cret`,
    username: 'ada',
    password: 's3cret',
  };
  const error = await t.throwsAsync(source.load(request, new AbortController().signal), { code });
  const everything = inspect(error, { depth: Infinity, showHidden: true });
  t.false(everything.includes('s3cret'), everything);
  t.false(everything.includes(Buffer.from('ada:s3cret').toString('base64')), everything);
});

const echo: TestResponse = (request, response) => {
  response.writeHead(500, { 'x-echo': request.headers.authorization }).end(request.headers.authorization);
};

test(
  'no secret is in the error for refused credentials',
  keepsSecret,
  { '/index.yaml': (_, r) => r.writeHead(401).end() },
  'repository_unauthorized',
);
test('no secret is in the error for a missing index', keepsSecret, {}, 'repository_not_found');
test(
  'no secret is in the error for a response that repeats it',
  keepsSecret,
  { '/index.yaml': echo },
  'repository_failed',
);
test(
  'no secret is in the error for a timeout',
  keepsSecret,
  { '/index.yaml': () => undefined },
  'repository_timeout',
  200,
);
test(
  'no secret is in the error for a broken connection',
  keepsSecret,
  { '/index.yaml': (_, r) => r.destroy() },
  'repository_failed',
);
test('no secret is in the error for an invalid index', keepsSecret, { '/index.yaml': '\t{[' }, 'repository_invalid');
test('no secret is in the error for an endless index', keepsSecret, { '/index.yaml': 'x'.repeat(20_000) }, 'too_large');
test('no secret is in the error for a missing chart', keepsSecret, { '/index.yaml': indexYaml({}) }, 'chart_not_found');
test(
  'no secret is in the error for a redirect loop',
  keepsSecret,
  { '/index.yaml': (request, r) => r.writeHead(302, { location: request.url }).end() },
  'repository_failed',
);
test(
  'no secret is in the error for an archive with another digest',
  keepsSecret,
  {
    '/index.yaml': indexYaml({ web: [{ version: '1.0.0', url: 'web.tgz', digest: '0'.repeat(64) }] }),
    '/web.tgz': web,
  },
  'digest_mismatch',
);

for (const repoUrl of [
  'https://bob:s3cret@',
  'bob:s3cret@charts.example',
  'https://bob:s3cret@charts.example:port/',
  'oci://bob:s3cret@charts.example/x',
]) {
  test(`no secret is in the error for the repository URL ${repoUrl.replace('s3cret', 'password')}`, async (t) => {
    const error = await t.throwsAsync(load({ repoUrl }), { name: 'SourceError' });
    t.false(inspect(error, { depth: Infinity, showHidden: true }).includes('s3cret'));
  });
}
