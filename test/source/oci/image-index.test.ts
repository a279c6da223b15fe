import test from 'ava';
import { createChartSource } from '../../../src/source/chart-source.ts';
import { chartManifest } from '../../../src/source/oci/image-index.ts';
import { packChart } from '../packed-chart.ts';
import { serveRegistry } from '../test-registry.ts';
import { sha256 } from '../test-repository.ts';

const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const digestOf = (data: Buffer) => `sha256:${sha256(data)}`;
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const chart = json({ config: { mediaType: 'application/vnd.cncf.helm.config.v1+json' }, layers: [] });
const otherChart = Buffer.concat([chart, Buffer.from('\n')]);
const image = json({ config: { mediaType: 'application/vnd.oci.image.config.v1+json' }, layers: [] });
const entryOf = (content: Buffer) => ({ mediaType: manifestType, digest: digestOf(content), size: content.length });

test('a tag of an index with one chart is that chart, with the digest of the index', async (t) => {
  const archive = await packChart('1.0.0');
  const { host, responses, digests } = await serveRegistry(t, { '1.0.0': archive });
  const listed = { mediaType: manifestType, digest: digests['1.0.0'] };
  const index = json({ schemaVersion: 2, manifests: [entryOf(image), listed] });
  let accepted: string | undefined;
  responses[`/v2/team/web/manifests/${digestOf(image)}`] = image;
  responses['/v2/team/web/manifests/1.0.0'] = (request, response) => {
    accepted = request.headers.accept;
    response.end(index);
  };
  const pulled: string[] = [];
  const source = createChartSource({ plainHttp: true, onPulled: (_, digest) => pulled.push(digest) });
  const url = `oci://${host}/team/web:1.0.0`;
  t.deepEqual(Buffer.from(await source.download({ chartName: url }, AbortSignal.timeout(20_000))), archive);
  t.deepEqual(pulled, [digestOf(index)]);
  t.is(accepted, `${manifestType}, application/vnd.oci.image.index.v1+json`);
});

for (const versions of [['1.0.0', '1.1.0'], ['1.0.0']] as const) {
  test(`a chart of an index of ${versions.length} is given by its digest, also with the tag of the index`, async (t) => {
    const archive = await packChart('1.0.0');
    const archives = { '1.0.0': archive, '1.1.0': await packChart('1.1.0') };
    const { host, responses, digests } = await serveRegistry(t, archives);
    const entries = versions.map((version) => ({ mediaType: manifestType, digest: digests[version] }));
    responses['/v2/team/web/manifests/1.0.0'] = json({ schemaVersion: 2, manifests: entries });
    const source = createChartSource({ plainHttp: true });
    const download = async (suffix: string, chartVersion?: string) => {
      const request = { chartName: `oci://${host}/team/web${suffix}`, chartVersion };
      return Buffer.from(await source.download(request, AbortSignal.timeout(20_000)));
    };
    t.deepEqual(await download(`:1.0.0@${digests['1.0.0']}`), archive);
    t.deepEqual(await download(`@${digests['1.0.0']}`, '1.0.0'), archive);
  });
}

test('a tag of an index is refused for the digest of a chart that it does not list', async (t) => {
  const archives = { '1.0.0': await packChart('1.0.0'), '1.1.0': await packChart('1.1.0') };
  const { host, responses, digests } = await serveRegistry(t, archives);
  const entry = { mediaType: manifestType, digest: digests['1.0.0'] };
  responses['/v2/team/web/manifests/1.0.0'] = json({ schemaVersion: 2, manifests: [entry] });
  const chartName = `oci://${host}/team/web:1.0.0@${digests['1.1.0']}`;
  const refused = createChartSource({ plainHttp: true }).download({ chartName }, AbortSignal.timeout(20_000));
  await t.throwsAsync(refused, { code: 'digest_mismatch' });
});

const contents = new Map([chart, otherChart, image].map((content) => [digestOf(content), content]));
const find = (index: unknown, read = (digest: string) => contents.get(digest) ?? Buffer.from('{}')) =>
  chartManifest(json(index), 'the chart team/web 1.0.0', (digest) => Promise.resolve(read(digest)));

test('a manifest is found in itself', async (t) => {
  const read = () => Promise.reject(new Error('nothing is to be read'));
  t.is(await chartManifest(chart, 'the chart', read), chart);
});

test('an index of images alone has no chart', async (t) => {
  const message = 'the chart team/web 1.0.0 is an index without a Helm chart; check the URL';
  await t.throwsAsync(find({ manifests: [entryOf(image)] }), { code: 'repository_invalid', message });
  await t.throwsAsync(find({ manifests: [] }), { code: 'repository_invalid', message });
  const nested = { mediaType: 'application/vnd.oci.image.index.v1+json', digest: digestOf(chart) };
  await t.throwsAsync(find({ manifests: [nested, null, 'text'] }), { code: 'repository_invalid', message });
});

test('an index of several charts is an error with their digests', async (t) => {
  const message = new RegExp(`is an index of 2 Helm charts; .*: ${digestOf(chart)}, ${digestOf(otherChart)}$`);
  const index = { manifests: [entryOf(chart), entryOf(image), entryOf(otherChart)] };
  await t.throwsAsync(find(index), { code: 'repository_invalid', message });
});

test('a manifest of an index must have its digest', async (t) => {
  await t.throwsAsync(
    find({ manifests: [entryOf(chart)] }, () => image),
    { code: 'digest_mismatch' },
  );
});

for (const digest of ['../../tags/list', 'sha512:00', `sha256:${'0'.repeat(63)}`, 1, undefined]) {
  test(`a manifest of an index with the digest ${digest} is not asked for`, async (t) => {
    const asked: string[] = [];
    const index = { manifests: [{ mediaType: manifestType, digest }] };
    const read = (given: string) => {
      asked.push(given);
      return chart;
    };
    await t.throwsAsync(find(index, read), { code: 'repository_invalid' });
    t.deepEqual(asked, []);
  });
}

test('an index of many manifests is refused before they are asked for', async (t) => {
  const read = () => {
    throw new Error('nothing is to be read');
  };
  const manifests = Array.from({ length: 33 }, () => entryOf(image));
  await t.throwsAsync(find({ manifests }, read), { code: 'too_large' });
});
