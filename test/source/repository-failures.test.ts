import { createServer, type AddressInfo } from 'node:net';
import test from 'ava';
import type { SourceErrorCode } from '../../src/source/source-error.ts';
import { createChartSource, type ChartSourceOptions } from '../../src/source/chart-source.ts';
import { indexYaml, serve, type Answer } from './test-repository.ts';

const never = new AbortController().signal;
const web = indexYaml({ web: [{ version: '1.0.0' }] });
const status =
  (code: number): Answer =>
  (_, response) =>
    response.writeHead(code).end('<html>sorry</html>');
const stalled: Answer = (_, response) => {
  response.writeHead(200, { 'content-length': '1000' }).write('apiVersion: v1\n');
};
const endless: Answer = (_, response) => {
  const timer = setInterval(() => response.write('# more and more\n'.repeat(1000)), 1);
  response.on('close', () => clearInterval(timer));
};

interface Expected {
  code: SourceErrorCode;
  message: RegExp;
}

const fails = test.macro(
  async (t, answers: Record<string, Answer>, expected: Expected, options: Partial<ChartSourceOptions> = {}) => {
    const repository = await serve(t, answers);
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
    message: new RegExp(`index.*answered ${code}; none were sent`),
  };
  test(`an index that answers ${code} asks for credentials`, fails, { '/index.yaml': status(code) }, expected);
}
test(
  'an index that answers 404 is named',
  fails,
  {},
  { code: 'repository_not_found', message: /index.* is not at http.*\/index\.yaml/ },
);
for (const code of [500, 503, 429, 204, 304]) {
  const expected: Expected = { code: 'repository_failed', message: new RegExp(`index.*answered ${code}`) };
  test(`an index that answers ${code} is a failure`, fails, { '/index.yaml': status(code) }, expected);
}

const garbage: Record<string, [text: string, reason: RegExp]> = {
  'binary data': ['\u0000\u0001\u0002', /no index of a chart repository/],
  'broken YAML': ['entries: [', /no index of a chart repository: .*yaml/],
  'broken entries': ['apiVersion: v1\nentries:\n  web:\n  - {\n', /no index of a chart repository: .*yaml/],
  'a page for people': ['<!doctype html><title>Charts</title>', /HTML or XML page/],
  'a sentence': ['nothing to see', /no mapping/],
  'a list': ['- a\n- b\n', /no mapping/],
  'JSON that is no index': ['{"message": "hello"}', /no API version specified/],
  'entries without an API version': [
    'entries:\n  web:\n  - name: web\n    version: 1.0.0\n',
    /no API version specified/,
  ],
  'entries that are no mapping': ['apiVersion: v1\nentries: 3\n', /entries are no mapping/],
  'a chart whose entries are no list': ['apiVersion: v1\nentries:\n  web:\n    a: b\n', /no list/],
  nothing: ['', /it is empty/],
  'white space': [' \n ', /it is empty/],
};
for (const [name, [text, message]] of Object.entries(garbage)) {
  test(`${name} is no index`, fails, { '/index.yaml': text }, { code: 'repository_invalid', message });
}

test(
  'silence ends in a timeout',
  fails,
  { '/index.yaml': () => undefined },
  { code: 'repository_timeout', message: /index.*within 0\.15 s/ },
  { timeoutMs: 150 },
);
test(
  'an index that stalls ends in a timeout',
  fails,
  { '/index.yaml': stalled },
  { code: 'repository_timeout', message: /index/ },
  { timeoutMs: 150 },
);
// alone, so that the index certainly comes in time
test.serial(
  'an archive that stalls ends in a timeout',
  fails,
  { '/index.yaml': web, '/web-1.0.0.tgz': stalled },
  { code: 'repository_timeout', message: /archive of the chart "web" 1\.0\.0/ },
  { timeoutMs: 1000 },
);
test(
  'an endless index ends at the limit',
  fails,
  { '/index.yaml': endless },
  { code: 'too_large', message: /limit of 100000 bytes/ },
  { maxIndexBytes: 100_000 },
);
test(
  'an index that announces to be too large is not read',
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
  'an archive beyond the limit is refused',
  fails,
  { '/index.yaml': web, '/web-1.0.0.tgz': 'x'.repeat(101) },
  { code: 'too_large', message: /archive/ },
  { maxArchiveBytes: 100 },
);
test(
  'an answer that breaks off is a failure',
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
  'an index without the chart',
  fails,
  { '/index.yaml': indexYaml({ db: [{ version: '1.0.0' }] }) },
  { code: 'chart_not_found', message: /no chart "web" among its 1/ },
);
test(
  'a chart that the index has and the repository has not',
  fails,
  { '/index.yaml': web },
  { code: 'repository_not_found', message: /archive of the chart "web" 1\.0\.0 is not at .*web-1\.0\.0\.tgz/ },
);
test(
  'an archive other than the index promises',
  fails,
  { '/index.yaml': indexYaml({ web: [{ version: '1.0.0', digest: 'a'.repeat(64) }] }), '/web-1.0.0.tgz': 'x' },
  { code: 'digest_mismatch', message: /should be a{64}/ },
);
test(
  'a digest that is no sha256',
  fails,
  { '/index.yaml': indexYaml({ web: [{ version: '1.0.0', digest: 'md5:abc' }] }), '/web-1.0.0.tgz': 'x' },
  { code: 'repository_invalid', message: /"md5:abc"/ },
);
test(
  'a version without an address',
  fails,
  { '/index.yaml': 'apiVersion: v1\nentries:\n  web:\n  - name: web\n    version: 1.0.0\n' },
  { code: 'repository_invalid', message: /no address for the chart "web" 1\.0\.0/ },
);
test(
  'a version in an OCI registry',
  fails,
  { '/index.yaml': indexYaml({ web: [{ version: '1.0.0', url: 'oci://charts.example/web' }] }) },
  { code: 'unsupported', message: /OCI registries are not supported yet/ },
);
test(
  'a redirect to a file',
  fails,
  { '/index.yaml': (_, r) => r.writeHead(302, { location: 'file:///etc/passwd' }).end() },
  { code: 'unsupported', message: /begins with file:/ },
);
test(
  'a redirect without an address',
  fails,
  { '/index.yaml': status(302) },
  { code: 'repository_failed', message: /answered 302/ },
);

const wrongRequests: Record<string, [repoUrl: string, chartName: string, Expected]> = {
  'a repository URL that is none': [
    'charts',
    'web',
    { code: 'invalid_repository_url', message: /https:\/\/host\/path/ },
  ],
  'an OCI registry': [
    'oci://charts.example/team',
    'web',
    { code: 'unsupported', message: /OCI registries are not supported yet/ },
  ],
  'a chart in an OCI registry': [
    '',
    'oci://charts.example/team/web',
    { code: 'unsupported', message: /oci:\/\/.* not supported yet/ },
  ],
  'a chart named by its URL': [
    '',
    'https://charts.example/web.tgz',
    { code: 'unsupported', message: /URL of its repository/ },
  ],
  'a repository in a folder': ['file:///charts', 'web', { code: 'unsupported', message: /only http/ }],
  'a chart without a name': ['https://charts.example', ' ', { code: 'chart_not_found', message: /empty/ }],
};
for (const [title, [repoUrl, chartName, expected]] of Object.entries(wrongRequests)) {
  test(`${title} is refused`, async (t) => {
    await t.throwsAsync(createChartSource().load({ repoUrl, chartName }, never), {
      name: 'SourceError',
      ...expected,
    });
  });
}

test('a repository where nobody listens', async (t) => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  const load = createChartSource().load({ repoUrl: `http://127.0.0.1:${port}`, chartName: 'web' }, never);
  await t.throwsAsync(load, { code: 'repository_failed', message: /ECONNREFUSED/ });
});

test('a repository that speaks no TLS', async (t) => {
  const repository = await serve(t, {});
  const load = createChartSource().load(
    { repoUrl: repository.url.replace('http:', 'https:'), chartName: 'web' },
    never,
  );
  await t.throwsAsync(load, { code: 'repository_failed', message: /SSL|TLS/i });
});

test('an abort ends the download with its reason, and closes the connection', async (t) => {
  const abort = new AbortController();
  const reason = new Error('the agent stops');
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

test('nothing is asked for after an abort', async (t) => {
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
  test(`the body of an answer ${head.status} that is of no use is not waited for`, async (t) => {
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
