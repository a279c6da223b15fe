import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { ChartRequest } from '../../src/source/chart-request.ts';
import { type ChartSource, createChartSource } from '../../src/source/chart-source.ts';
import { KeptDownloads } from '../../src/source/disk/kept-downloads.ts';
import { KeptFiles } from '../../src/source/disk/kept-files.ts';
import { archiveOf } from '../bin/support/archive.ts';
import { descriptionOf } from './chart-description.ts';
import { chartYaml, packChart } from './packed-chart.ts';
import { serveRegistry } from './test-registry.ts';
import { indexYaml, serve, sha256 } from './test-repository.ts';

const never = new AbortController().signal;
const archive = await packChart('web');
const digest = sha256(archive);
const wrong = sha256(Buffer.from('another archive'));

interface Place {
  source: ChartSource;
  request: ChartRequest;
}
type OpenPlace = (t: ExecutionContext) => Promise<Place>;

async function localCharts(t: ExecutionContext): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'digests-')));
  t.teardown(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'web'));
  await writeFile(join(folder, 'web/Chart.yaml'), chartYaml('web'));
  await writeFile(join(folder, 'web-1.0.0.tgz'), archive);
  return folder;
}

const repository = (entry: { digest?: string } = {}) => ({
  '/index.yaml': indexYaml({ web: [{ version: '1.0.0', ...entry }] }),
  '/web-1.0.0.tgz': archive,
});

/** Where the archive of a chart can come from. */
const places: Record<string, OpenPlace> = {
  'in the request': () => Promise.resolve({ source: createChartSource(), request: { chartName: 'web', archive } }),
  'that was uploaded': () => {
    const source = createChartSource({ readUpload: () => Promise.resolve(archive) });
    return Promise.resolve({ source, request: { chartName: 'web', upload: `sha256:${digest}` } });
  },
  'below the folder for local charts': async (t) => ({
    source: createChartSource({ localCharts: await localCharts(t) }),
    request: { chartName: 'web-1.0.0.tgz' },
  }),
  'of a repository': async (t) => {
    const { url } = await serve(t, repository());
    return { source: createChartSource(), request: { chartName: 'web', repoUrl: url } };
  },
  'of a repository with the digest in its index': async (t) => {
    const { url } = await serve(t, repository({ digest }));
    return { source: createChartSource(), request: { chartName: 'web', repoUrl: url } };
  },
  'that was kept from a download before': async (t) => {
    const { url } = await serve(t, repository({ digest }));
    const files = new KeptFiles();
    t.teardown(() => files.clear());
    const kept = new KeptDownloads({ files, onProblem: (error) => t.fail(String(error)) });
    const source = createChartSource({ kept });
    const request = { chartName: 'web', repoUrl: url };
    await source.load(request, never);
    return { source, request };
  },
  'at a URL': async (t) => {
    const { url } = await serve(t, repository());
    return { source: createChartSource(), request: { chartName: `${url}/web-1.0.0.tgz` } };
  },
  'in a registry': async (t) => {
    const { host } = await serveRegistry(t, { '1.0.0': archive });
    return { source: createChartSource({ plainHttp: true }), request: { chartName: `oci://${host}/team/web` } };
  },
  'in a registry that the index of a repository names': async (t) => {
    const { host } = await serveRegistry(t, { '1.0.0': archive });
    const { url } = await serve(t, {
      '/index.yaml': indexYaml({ web: [{ version: '1.0.0', url: `oci://${host}/team/web` }] }),
    });
    return { source: createChartSource({ plainHttp: true }), request: { chartName: 'web', repoUrl: url } };
  },
};

const accepts = test.macro({
  title: (_, name: string, _open: OpenPlace) => `an archive ${name} is accepted only with the requested digest`,
  async exec(t, _name: string, open: OpenPlace) {
    const { source, request } = await open(t);
    for (const right of [digest, `sha256:${digest}`, digest.toUpperCase()]) {
      t.is(await descriptionOf(await source.load({ ...request, digest: right }, never)), 'web');
    }
    for (const other of [wrong, `sha256:${wrong}`]) {
      const error = await t.throwsAsync(source.load({ ...request, digest: other }, never), { code: 'digest_mismatch' });
      t.true(error.message.includes(wrong) && error.message.includes(digest));
    }
    for (const text of ['', 'sha256:', digest.slice(1), `${digest}0`, `md5:${digest}`, `${digest}\n`]) {
      await t.throwsAsync(source.load({ ...request, digest: text }, never), {
        code: 'digest_mismatch',
        message: /is not a SHA-256/,
      });
    }
  },
});
for (const [name, open] of Object.entries(places)) test(accepts, name, open);

test('a download is checked without loading the chart, too', async (t) => {
  const { url } = await serve(t, repository());
  const request = { chartName: 'web', repoUrl: url, digest: wrong };
  await t.throwsAsync(createChartSource().download(request, never), { code: 'digest_mismatch' });
});

test('a folder is refused with a digest, because it has none', async (t) => {
  const source = createChartSource({ localCharts: await localCharts(t) });
  await t.throwsAsync(source.load({ chartName: 'web', digest }, never), {
    code: 'unsupported',
    message:
      '"web" is a directory, and only the digest of an archive can be checked; name an archive, or give no digest',
  });
});

test("the digest of a registry's manifest is refused, and the error says where it belongs", async (t) => {
  const { host, digests } = await serveRegistry(t, { '1.0.0': archive });
  const request = { chartName: `oci://${host}/team/web`, chartVersion: '1.0.0', digest: digests['1.0.0'] };
  await t.throwsAsync(createChartSource({ plainHttp: true }).load(request, never), {
    code: 'digest_mismatch',
    message: /that of the manifest .*, not of its archive; give the archive's, sha256:.*, or put .* after an @/,
  });
});

test('the digest of the chart does not apply to its dependencies', async (t) => {
  const { url } = await serve(t, repository());
  const chart = `${chartYaml('parent')}dependencies:\n- {name: web, version: 1.0.0, repository: "${url}"}\n`;
  const parent = await archiveOf({ 'web/Chart.yaml': chart });
  const request = { chartName: 'web', dependencyUpdate: true, archive: parent, digest: sha256(parent) };
  t.is(await descriptionOf(await createChartSource().load(request, never)), 'parent');
});

const indexed = test.macro({
  title: (title) => title ?? '',
  async exec(t, stated: (digests: { archive: string; manifest: string }) => string, isRight: boolean) {
    const { host, digests } = await serveRegistry(t, { '1.0.0': archive });
    const text = stated({ archive: digest, manifest: digests['1.0.0'] ?? '' });
    const { url } = await serve(t, {
      '/index.yaml': indexYaml({ web: [{ version: '1.0.0', url: `oci://${host}/team/web`, digest: text }] }),
    });
    const source = createChartSource({ plainHttp: true });
    const load = source.load({ chartName: 'web', repoUrl: url }, never);
    if (isRight) t.is(await descriptionOf(await load), 'web');
    else await t.throwsAsync(load, { code: 'digest_mismatch' });
  },
});
test("an index may state the archive's digest for a chart in a registry", indexed, ({ archive: text }) => text, true);
test("an index may state the manifest's digest for it", indexed, ({ manifest }) => manifest, true);
test('another digest in the index is refused for it', indexed, () => wrong, false);
