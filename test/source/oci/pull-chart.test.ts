import { inspect } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import type { ChartRequest } from '../../../src/source/chart-request.ts';
import { createChartSource } from '../../../src/source/chart-source.ts';
import type { SourceErrorCode } from '../../../src/source/source-error.ts';
import { descriptionOf } from '../chart-description.ts';
import { packChart } from '../packed-chart.ts';
import { serveRegistry } from '../test-registry.ts';
import { indexYaml, serve } from '../test-repository.ts';

const tags = ['1.0.0', '1.2.0', '1.10.0_build.5', '2.0.0-rc.1', 'latest', '3'];
const source = createChartSource({ plainHttp: true });

async function registry(t: ExecutionContext, options: Parameters<typeof serveRegistry>[2] = {}) {
  const archives = await Promise.all(tags.map(async (tag) => [tag, await packChart(tag)] as const));
  return serveRegistry(t, Object.fromEntries(archives), options);
}

/** Returns the tag of the chart that was loaded: it is the chart's description. */
async function load(request: ChartRequest): Promise<string | undefined> {
  return descriptionOf(await source.load(request, new AbortController().signal));
}

const selects = test.macro({
  title: (_, suffix: string, version: string, tag: string) => `loads ${tag} for oci://…${suffix}, version "${version}"`,
  async exec(t, suffix: string, version: string, tag: string) {
    const { host, digests } = await registry(t, { pageSize: 2 });
    const chartName = `oci://${host}/team/web${suffix.replace('DIGEST', digests['1.2.0'] ?? '')}`;
    t.is(await load({ chartName, chartVersion: version }), tag);
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
  title: (_, suffix: string, version: string, code: SourceErrorCode) =>
    `refuses oci://…${suffix}, version "${version}", with ${code}`,
  async exec(t, suffix: string, version: string, code: SourceErrorCode) {
    const { host, digests } = await registry(t);
    const chartName = `oci://${host}${suffix.replace('DIGEST', digests['1.2.0'] ?? '')}`;
    await t.throwsAsync(load({ chartName, chartVersion: version }), { name: 'SourceError', code });
  },
});

test(refuses, '/team/web', '^4', 'version_not_found');
test(refuses, '/team/web', 'newest', 'invalid_version');
test(refuses, '/team/web:1.0.0', '1.2.0', 'invalid_version');
test(refuses, '/team/web:1.0.0@DIGEST', '', 'digest_mismatch');
test(refuses, '/team/none:1.0.0', '', 'repository_not_found');
test(refuses, '/team/web/', '', 'invalid_repository_url');
test(refuses, '', '', 'invalid_repository_url');

for (const slash of ['', '/']) {
  test(`loads a chart by its name from the repository URL oci://…/team${slash}`, async (t) => {
    const { host } = await registry(t);
    const repoUrl = `oci://${host}/team${slash}`;
    t.is(await load({ repoUrl, chartName: 'web', chartVersion: '~1.2' }), '1.2.0');
  });
}

test('does not load a registry chart by URL if there is a repository URL, too', async (t) => {
  const { host, requests } = await registry(t);
  const request = { repoUrl: `oci://${host}/team`, chartName: `oci://${host}/team/web` };
  await t.throwsAsync(load(request), { code: 'unsupported', message: /both the chart name and the repository URL/ });
  t.deepEqual(requests, []);
});

test('downloads the archive, and reports its reference and digest', async (t) => {
  const { host, digests } = await registry(t);
  const pulled: string[][] = [];
  const reporting = createChartSource({ plainHttp: true, onPulled: (...report) => pulled.push(report) });
  const archive = await reporting.download({ chartName: `oci://${host}/team/web:1.0.0` }, new AbortController().signal);
  t.deepEqual(Buffer.from(archive), await packChart('1.0.0'));
  t.deepEqual(pulled, [[`${host}/team/web:1.0.0`, digests['1.0.0']]]);
});

test('gets a token for the user name and password if the registry requires one', async (t) => {
  const { host, requests } = await registry(t, { password: 'secret' });
  const request = { chartName: `oci://${host}/team/web`, chartVersion: '1.0.0' };
  t.is(await load({ ...request, username: 'joe', password: 'secret' }), '1.0.0');
  t.regex(
    requests.map(({ url }) => url).join('\n'),
    /^\/token\?service=registry&scope=repository%3Ateam%2Fweb%3Apull$/m,
  );
  await t.throwsAsync(load({ ...request, username: 'joe', password: 'wrong' }), { code: 'repository_unauthorized' });
});

test('sends the password only to the token service', async (t) => {
  const { host, requests } = await registry(t, { password: 'secret' });
  await load({ chartName: `oci://${host}/team/web:1.0.0`, username: 'joe', password: 'secret' });
  const basic = requests.filter(({ authorization }) => authorization?.startsWith('Basic '));
  t.deepEqual(
    basic.map(({ url }) => url.replace(/\?.*/, '')),
    ['/token'],
  );
});

const keepsSecret = test.macro(async (t, chartName: string, code: SourceErrorCode, version?: string) => {
  const { host } = await registry(t, { password: 'another' });
  const request = { chartName: chartName.replace('HOST', host), chartVersion: version };
  const error = await t.throwsAsync(load({ ...request, username: 'joe', password: 's3cret' }), { code });
  const everything = inspect(error, { depth: Infinity, showHidden: true });
  t.false(everything.includes('s3cret'), everything);
  t.false(everything.includes(Buffer.from('joe:s3cret').toString('base64')), everything);
});

test(
  'no secret is in the error for refused credentials',
  keepsSecret,
  'oci://HOST/team/web',
  'repository_unauthorized',
);
test(
  'no secret is in the error for a registry URL with userinfo',
  keepsSecret,
  'oci://joe:s3cret@HOST/team/web',
  'invalid_repository_url',
);
test(
  'no secret is in the error for an unreachable registry',
  keepsSecret,
  'oci://127.0.0.1:1/team/web',
  'repository_failed',
);

test('refuses an archive that does not match the digest in the manifest', async (t) => {
  const { host } = await serveRegistry(t, { '1.0.0': await packChart('a') }, { swapped: true });
  await t.throwsAsync(load({ chartName: `oci://${host}/team/web` }), { code: 'digest_mismatch' });
});

for (const suffix of ['', ':1.2.0']) {
  test(`follows the index of an HTTP repository to oci://…/web${suffix}`, async (t) => {
    const { host } = await registry(t);
    const index = indexYaml({ web: [{ version: '1.2.0', url: `oci://${host}/team/web${suffix}` }] });
    const repository = await serve(t, { '/index.yaml': index });
    t.is(await load({ repoUrl: repository.url, chartName: 'web' }), '1.2.0');
  });
}

test('sends credentials to a registry on another host only with passCredentials', async (t) => {
  const { host, requests } = await registry(t, { password: 'secret' });
  const index = indexYaml({ web: [{ version: '1.2.0', url: `oci://${host}/team/web` }] });
  const repository = await serve(t, { '/index.yaml': index });
  const request = { repoUrl: repository.url, chartName: 'web', username: 'joe', password: 'secret' };
  await t.throwsAsync(load(request), { code: 'repository_unauthorized' });
  t.true(requests.every(({ authorization }) => authorization === undefined));
  t.is(await load({ ...request, passCredentials: true }), '1.2.0');
});
