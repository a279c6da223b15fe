import test, { type ExecutionContext } from 'ava';
import { loadArchive } from '../../src/chart/load/load-archive.ts';
import type { ChartRequest } from '../../src/source/chart-request.ts';
import { fetchChart } from '../../src/source/fetch-chart.ts';
import type { SourceErrorCode } from '../../src/source/source-error.ts';
import { packChart } from './packed-chart.ts';
import { serveRegistry } from './test-registry.ts';

const tags = ['1.0.0', '1.2.0', '1.10.0_build.5', '2.0.0-rc.1', 'latest', '3'];

async function registry(t: ExecutionContext, options: Parameters<typeof serveRegistry>[2] = {}) {
  const archives = await Promise.all(tags.map(async (tag) => [tag, await packChart(tag)] as const));
  return serveRegistry(t, Object.fromEntries(archives), options);
}

async function pull(request: ChartRequest): Promise<string | undefined> {
  const archive = await fetchChart({ plainHttp: true, ...request }, new AbortController().signal);
  return (await loadArchive(archive)).metadata.description;
}

const selects = test.macro({
  title: (_, suffix: string, wanted: string, tag: string) => `oci://…${suffix} with version "${wanted}" is ${tag}`,
  async exec(t, suffix: string, wanted: string, tag: string) {
    const { host, digests } = await registry(t, { pageSize: 2 });
    const chartName = `oci://${host}/team/web${suffix.replace('DIGEST', digests['1.2.0'] ?? '')}`;
    t.is(await pull({ chartName, chartVersion: wanted }), tag);
  },
});

test(selects, '', '', '1.10.0_build.5');
test(selects, '', '>0.0.0-0', '2.0.0-rc.1');
test(selects, '', '~1.2', '1.2.0');
test(selects, '', '1.10.0+build.5', '1.10.0_build.5');
test(selects, '', '3', '3');
test(selects, ':1.0.0', '', '1.0.0');
test(selects, ':1.0.0', '1.0.0', '1.0.0');
test(selects, '@DIGEST', '', '1.2.0');
test(selects, ':1.2.0@DIGEST', '', '1.2.0');
test(selects, ':9.9.9@DIGEST', '', '1.2.0');

const refuses = test.macro({
  title: (_, suffix: string, wanted: string, code: SourceErrorCode) =>
    `oci://…${suffix} with version "${wanted}" is refused with ${code}`,
  async exec(t, suffix: string, wanted: string, code: SourceErrorCode) {
    const { host, digests } = await registry(t);
    const chartName = `oci://${host}${suffix.replace('DIGEST', digests['1.2.0'] ?? '')}`;
    await t.throwsAsync(pull({ chartName, chartVersion: wanted }), { code });
  },
});

test(refuses, '/team/web', '^4', 'version_not_found');
test(refuses, '/team/web', 'newest', 'invalid_version');
test(refuses, '/team/web:1.0.0', '1.2.0', 'invalid_version');
test(refuses, '/team/web:1.0.0@DIGEST', '', 'digest_mismatch');
test(refuses, '/team/none:1.0.0', '', 'repository_not_found');
test(refuses, '/team/web/', '', 'invalid_repository_url');
test(refuses, '', '', 'invalid_repository_url');

test('a registry that wants a token gets it for user name and password', async (t) => {
  const { host, requests } = await registry(t, { password: 'secret' });
  const request = { chartName: `oci://${host}/team/web`, chartVersion: '1.0.0' };
  t.is(await pull({ ...request, username: 'joe', password: 'secret' }), '1.0.0');
  t.regex(
    requests.map(({ url }) => url).join('\n'),
    /^\/token\?service=registry&scope=repository%3Ateam%2Fweb%3Apull$/m,
  );
  await t.throwsAsync(pull({ ...request, username: 'joe', password: 'wrong' }), { code: 'repository_unauthorized' });
});

test('a password is sent to where tokens are made alone', async (t) => {
  const { host, requests } = await registry(t, { password: 'secret' });
  await pull({ chartName: `oci://${host}/team/web:1.0.0`, username: 'joe', password: 'secret' });
  const basic = requests.filter(({ authorization }) => authorization?.startsWith('Basic '));
  t.deepEqual(
    basic.map(({ url }) => url.replace(/\?.*/, '')),
    ['/token'],
  );
});

test('an archive that is not what the manifest promises is refused', async (t) => {
  const { host } = await serveRegistry(t, { '1.0.0': await packChart('a') }, { swapped: true });
  await t.throwsAsync(pull({ chartName: `oci://${host}/team/web` }), { code: 'digest_mismatch' });
});
