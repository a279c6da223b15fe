import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { makeCertificates } from '../../../src/sandbox/certificates.ts';
import { createChartSource } from '../../../src/source/chart-source.ts';
import { KeptDownloads } from '../../../src/source/disk/kept-downloads.ts';
import { KeptFiles } from '../../../src/source/disk/kept-files.ts';
import { realHost } from '../../support/host.ts';
import { packChart } from '../packed-chart.ts';
import { indexYaml, serve, type TestResponse } from '../test-repository.ts';

const never = new AbortController().signal;
const archives = new Map([
  ['1.0.0', await packChart('one')],
  ['2.0.0', await packChart('two')],
]);

const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex');

/** Responds with a text and its ETag, and with 304 if the client has it. */
function tagged(body: () => Buffer | string): TestResponse {
  return (request, response) => {
    const etag = `"${sha256(Buffer.from(body()))}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
    else response.writeHead(200, { etag }).end(body());
  };
}

interface World {
  /** Versions in the index. */
  versions: string[];
  digests?: boolean;
  maxBytes?: number;
}

/** A repository that can change, and a source that keeps what it downloads. */
async function open(t: ExecutionContext, world: World) {
  const entries = () =>
    world.versions.map((version) => {
      const digest = sha256(archives.get(version) ?? Buffer.from(''));
      return { version, ...(world.digests !== false && { digest }) };
    });
  const archive = (version: string) => tagged(() => archives.get(version) ?? '');
  const { url, requests } = await serve(t, {
    '/index.yaml': tagged(() => indexYaml({ web: entries() })),
    '/web-1.0.0.tgz': archive('1.0.0'),
    '/web-2.0.0.tgz': archive('2.0.0'),
  });
  const files = new KeptFiles({ maxBytes: world.maxBytes });
  t.teardown(() => files.clear());
  const problems: unknown[] = [];
  const kept = new KeptDownloads({ files, onProblem: (error) => problems.push(error) });
  const source = createChartSource({ kept });
  /** Downloads the chart. Returns the archive and the paths that were asked for. */
  const download = async (credentials: { username?: string; password?: string } = {}) => {
    requests.length = 0;
    const bytes = await source.download({ repoUrl: url, chartName: 'web', ...credentials }, never);
    return { bytes: Buffer.from(bytes), paths: requests.map((request) => request.url) };
  };
  return { problems, download };
}

test('asks whether an index has changed, and does not download an archive with the same digest again', async (t) => {
  const world = { versions: ['1.0.0'] };
  const { download, problems } = await open(t, world);
  t.deepEqual((await download()).paths, ['/index.yaml', '/web-1.0.0.tgz']);
  const again = await download();
  t.deepEqual(again, { bytes: archives.get('1.0.0'), paths: ['/index.yaml'] });
  world.versions = ['2.0.0', '1.0.0'];
  t.deepEqual(await download(), { bytes: archives.get('2.0.0'), paths: ['/index.yaml', '/web-2.0.0.tgz'] });
  t.deepEqual(problems, []);
});

test('asks whether an archive without a digest has changed', async (t) => {
  const { download } = await open(t, { versions: ['1.0.0'], digests: false });
  const first = await download();
  const second = await download();
  t.deepEqual(first.paths, ['/index.yaml', '/web-1.0.0.tgz']);
  t.deepEqual(second, first);
});

test('downloads again with other credentials', async (t) => {
  const { download } = await open(t, { versions: ['1.0.0'] });
  await download({ username: 'a', password: 'b' });
  t.deepEqual((await download({ username: 'a', password: 'c' })).paths, ['/index.yaml', '/web-1.0.0.tgz']);
});

test('downloads again what has lost its place on disk', async (t) => {
  const { download } = await open(t, { versions: ['1.0.0'], maxBytes: 10 });
  const first = await download();
  t.deepEqual(await download(), first);
});

test('refuses 304 from a server that was not asked whether the file has changed', async (t) => {
  const { url } = await serve(t, { '/web.tgz': (_, response) => response.writeHead(304).end() });
  const files = new KeptFiles();
  t.teardown(() => files.clear());
  const kept = new KeptDownloads({ files, onProblem: () => t.fail() });
  const source = createChartSource({ kept });
  await t.throwsAsync(source.download({ chartName: `${url}/web.tgz` }, never), { code: 'repository_failed' });
});

test('refuses a kept file that is larger than this download may be', async (t) => {
  const { url } = await serve(t, { '/index.yaml': tagged(() => indexYaml({ web: [] })) });
  const files = new KeptFiles();
  t.teardown(() => files.clear());
  const kept = new KeptDownloads({ files, onProblem: () => t.fail() });
  await createChartSource({ kept }).download({ chartName: `${url}/index.yaml` }, never);
  const source = createChartSource({ kept, maxIndexBytes: 10 });
  await t.throwsAsync(source.download({ repoUrl: url, chartName: 'web' }, never), { code: 'too_large' });
});

test('reports what it cannot write to disk, and returns the download', async (t) => {
  const files = new KeptFiles();
  const problems: unknown[] = [];
  const kept = new KeptDownloads({ files, onProblem: (error) => problems.push(error) });
  files.keep = () => {
    throw new Error('no space left');
  };
  await kept.keep('key', Buffer.from('text'));
  t.like(problems, [{ message: 'no space left' }]);
});

test('an archive that a certificate opens is not kept for requests without it', async (t) => {
  const { certificate, key } = makeCertificates(realHost, '127.0.0.1');
  const archive = archives.get('1.0.0') ?? Buffer.from('');
  const index = indexYaml({ web: [{ version: '1.0.0', digest: sha256(archive) }] });
  const { url, requests } = await serve(t, { '/index.yaml': index, '/web-1.0.0.tgz': archive });
  const files = new KeptFiles();
  t.teardown(() => files.clear());
  const kept = new KeptDownloads({ files, onProblem: (error) => t.fail(String(error)) });
  const source = createChartSource({ kept });
  const request = { chartName: 'web', repoUrl: url };
  await source.load({ ...request, tls: { cert: certificate, key } }, never);
  await source.load(request, never);
  t.is(requests.filter((one) => one.url === '/web-1.0.0.tgz').length, 2);
});
