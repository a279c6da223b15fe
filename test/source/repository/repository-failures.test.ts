import { type AddressInfo, createServer } from 'node:net';
import test from 'ava';
import { type ChartSourceOptions, createChartSource } from '../../../src/source/chart-source.ts';
import type { SourceErrorCode } from '../../../src/source/source-error.ts';
import { indexYaml, serve, type TestResponse } from '../test-repository.ts';

const never = new AbortController().signal;
const web = indexYaml({ web: [{ version: '1.0.0' }] });
const status =
  (code: number): TestResponse =>
  (_, response) =>
    response.writeHead(code).end('<html>sorry</html>');
const stalled: TestResponse = (_, response) => {
  response.writeHead(200, { 'content-length': '1000' }).write('apiVersion: v1\n');
};
const endless: TestResponse = (_, response) => {
  const timer = setInterval(() => response.write('# more and more\n'.repeat(1000)), 1);
  response.on('close', () => clearInterval(timer));
};

interface Expected {
  code: SourceErrorCode;
  message: RegExp;
}

const fails = test.macro(
  async (t, responses: Record<string, TestResponse>, expected: Expected, options: Partial<ChartSourceOptions> = {}) => {
    const repository = await serve(t, responses);
    const source = createChartSource(options);
    await t.throwsAsync(source.load({ repoUrl: repository.url, chartName: 'web' }, never), {
      name: 'SourceError',
      ...expected,
    });
  },
);

for (const code of [401, 403]) {
  const expected: Expected = {
    code: 'repository_unauthorized',
    message: new RegExp(`index.*status ${code}; none were sent`),
  };
  test(
    `asks for credentials if the index responds with status ${code}`,
    fails,
    { '/index.yaml': status(code) },
    expected,
  );
}
test(
  'names the URL of an index that does not exist',
  fails,
  {},
  { code: 'repository_not_found', message: /index.* was not found at http.*\/index\.yaml/ },
);
for (const code of [500, 503, 429, 204, 304]) {
  const expected: Expected = { code: 'repository_failed', message: new RegExp(`index.*status ${code}`) };
  test(`fails if the index responds with status ${code}`, fails, { '/index.yaml': status(code) }, expected);
}

const garbage: Record<string, [text: string, reason: RegExp]> = {
  'binary data': ['\u0000\u0001\u0002', /not the index of a chart repository/],
  'broken YAML': ['entries: [', /not the index of a chart repository: .*yaml/],
  'broken entries': ['apiVersion: v1\nentries:\n  web:\n  - {\n', /not the index of a chart repository: .*yaml/],
  'an HTML page': ['<!doctype html><title>Charts</title>', /HTML or XML page/],
  'a sentence': ['nothing to see', /not a mapping/],
  'a list': ['- a\n- b\n', /not a mapping/],
  'JSON that is not an index': ['{"message": "hello"}', /no API version specified/],
  'entries without an API version': [
    'entries:\n  web:\n  - name: web\n    version: 1.0.0\n',
    /no API version specified/,
  ],
  'entries that are not a mapping': ['apiVersion: v1\nentries: 3\n', /entries are not a mapping/],
  'a chart whose entries are not a list': ['apiVersion: v1\nentries:\n  web:\n    a: b\n', /not a list/],
  nothing: ['', /it is empty/],
  'white space': [' \n ', /it is empty/],
};
for (const [name, [text, message]] of Object.entries(garbage)) {
  test(`refuses an index: ${name}`, fails, { '/index.yaml': text }, { code: 'repository_invalid', message });
}

test(
  'reports a timeout if the server does not respond',
  fails,
  { '/index.yaml': () => undefined },
  { code: 'repository_timeout', message: /index.*within 0\.15 s/ },
  { timeoutMs: 150 },
);
test(
  'reports a timeout if the index stalls',
  fails,
  { '/index.yaml': stalled },
  { code: 'repository_timeout', message: /index/ },
  { timeoutMs: 150 },
);
// serial, so that the index arrives within the time limit
test.serial(
  'reports a timeout if the archive stalls',
  fails,
  { '/index.yaml': web, '/web-1.0.0.tgz': stalled },
  { code: 'repository_timeout', message: /archive of the chart "web" 1\.0\.0/ },
  { timeoutMs: 3000 },
);
test(
  'stops reading an endless index at the size limit',
  fails,
  { '/index.yaml': endless },
  { code: 'too_large', message: /limit of 100000 bytes/ },
  { maxIndexBytes: 100_000 },
);
test(
  'does not read an index whose content-length exceeds the limit',
  fails,
  {
    '/index.yaml': (_, r) => {
      r.writeHead(200, { 'content-length': '101' }).flushHeaders();
    },
  },
  { code: 'too_large', message: /index/ },
  { maxIndexBytes: 100 },
);
test(
  'refuses an archive that exceeds the size limit',
  fails,
  { '/index.yaml': web, '/web-1.0.0.tgz': 'x'.repeat(101) },
  { code: 'too_large', message: /archive/ },
  { maxArchiveBytes: 100 },
);
test(
  'fails if the response is incomplete',
  fails,
  {
    '/index.yaml': (_, r) => {
      r.writeHead(200, { 'content-length': '1000' }).write('a');
      setTimeout(() => r.destroy(), 20);
    },
  },
  { code: 'repository_failed', message: /index/ },
);

test(
  'reports a chart that the index does not have',
  fails,
  { '/index.yaml': indexYaml({ db: [{ version: '1.0.0' }] }) },
  { code: 'chart_not_found', message: /no chart "web" among its 1/ },
);
test(
  'reports an archive that is in the index, but not in the repository',
  fails,
  { '/index.yaml': web },
  { code: 'repository_not_found', message: /archive of the chart "web" 1\.0\.0 was not found at .*web-1\.0\.0\.tgz/ },
);
test(
  'refuses an archive that does not match its digest in the index',
  fails,
  { '/index.yaml': indexYaml({ web: [{ version: '1.0.0', digest: 'a'.repeat(64) }] }), '/web-1.0.0.tgz': 'x' },
  { code: 'digest_mismatch', message: /should be a{64}/ },
);
test(
  'refuses a digest that is not a SHA-256',
  fails,
  { '/index.yaml': indexYaml({ web: [{ version: '1.0.0', digest: 'md5:abc' }] }), '/web-1.0.0.tgz': 'x' },
  { code: 'repository_invalid', message: /"md5:abc"/ },
);
test(
  'reports a version without a URL',
  fails,
  { '/index.yaml': 'apiVersion: v1\nentries:\n  web:\n  - name: web\n    version: 1.0.0\n' },
  { code: 'repository_invalid', message: /no address for the chart "web" 1\.0\.0/ },
);
test(
  'refuses a file as the location of an archive',
  fails,
  { '/index.yaml': indexYaml({ web: [{ version: '1.0.0', url: 'file:///etc/passwd' }] }) },
  { code: 'unsupported', message: /chart's address begins with file:/ },
);
test(
  'refuses a redirect to a file',
  fails,
  { '/index.yaml': (_, r) => r.writeHead(302, { location: 'file:///etc/passwd' }).end() },
  { code: 'unsupported', message: /begins with file:/ },
);
test(
  'fails if a redirect has no location',
  fails,
  { '/index.yaml': status(302) },
  { code: 'repository_failed', message: /status 302/ },
);

const wrongRequests: Record<string, [repoUrl: string, chartName: string, Expected]> = {
  'an invalid repository URL': ['charts', 'web', { code: 'invalid_repository_url', message: /https:\/\/host\/path/ }],
  'a chart URL that is neither HTTP nor OCI': [
    '',
    'ftp://charts.example/web.tgz',
    { code: 'unsupported', message: /chart's URL begins with ftp:/ },
  ],
  'a chart URL beside a repository URL': [
    'https://charts.example',
    'https://charts.example/web.tgz',
    { code: 'unsupported', message: /both the chart name and the repository URL/ },
  ],
  'a repository in a folder': ['file:///charts', 'web', { code: 'unsupported', message: /only http/ }],
  'a chart without a name': ['https://charts.example', ' ', { code: 'chart_not_found', message: /empty/ }],
};
for (const [title, [repoUrl, chartName, expected]] of Object.entries(wrongRequests)) {
  test(`refuses ${title}`, async (t) => {
    await t.throwsAsync(createChartSource().load({ repoUrl, chartName }, never), {
      name: 'SourceError',
      ...expected,
    });
  });
}

test('reports a repository that refuses connections', async (t) => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  const load = createChartSource().load({ repoUrl: `http://127.0.0.1:${port}`, chartName: 'web' }, never);
  await t.throwsAsync(load, { code: 'repository_failed', message: /ECONNREFUSED/ });
});

test('reports a repository that does not support TLS', async (t) => {
  const repository = await serve(t, {});
  const load = createChartSource().load(
    { repoUrl: repository.url.replace('http:', 'https:'), chartName: 'web' },
    never,
  );
  await t.throwsAsync(load, { code: 'repository_failed', message: /SSL|TLS/i });
});

test('ends the download with the reason of an abort, and closes the connection', async (t) => {
  const abort = new AbortController();
  const reason = new Error('the agent is stopping');
  const closed = Promise.withResolvers<null>();
  const repository = await serve(t, {
    '/index.yaml': (_, response) => {
      response.on('close', () => closed.resolve(null));
      response.write('apiVersion: v1\n');
      abort.abort(reason);
    },
  });
  const load = createChartSource().load({ repoUrl: repository.url, chartName: 'web' }, abort.signal);
  t.is(await t.throwsAsync(load), reason);
  t.is(await closed.promise, null);
});

test('sends no request after an abort', async (t) => {
  const repository = await serve(t, { '/index.yaml': web });
  const load = createChartSource().load({ repoUrl: repository.url, chartName: 'web' }, AbortSignal.abort());
  await t.throwsAsync(load, { name: 'AbortError' });
  t.deepEqual(repository.requests, []);
});

for (const head of [
  { status: 200, length: 101 },
  { status: 500, length: 10 },
  { status: 302, length: 10 },
]) {
  test(`does not wait for the unused body of a response with status ${head.status}`, async (t) => {
    const closed = Promise.withResolvers<boolean>();
    const repository = await serve(t, {
      '/index.yaml': (_, response) => {
        response.on('close', () => closed.resolve(true));
        response.writeHead(head.status, { 'content-length': head.length, location: '/elsewhere' }).flushHeaders();
      },
    });
    const source = createChartSource({ maxIndexBytes: 100 });
    await t.throwsAsync(source.load({ repoUrl: repository.url, chartName: 'web' }, never), { name: 'SourceError' });
    t.true(await closed.promise);
  });
}
