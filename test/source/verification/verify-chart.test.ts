import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { ChartRequest, ChartVerification } from '../../../src/source/chart-request.ts';
import { type ChartSourceOptions, createChartSource } from '../../../src/source/chart-source.ts';
import { packChart } from '../packed-chart.ts';
import { serveRegistry } from '../test-registry.ts';
import { indexYaml, serve, sha256, type TestResponse } from '../test-repository.ts';
import { bundleSignature, newCosignKey, provenanceOf, publicKeyring, simpleSignature } from './signatures.ts';

const vendor = newCosignKey();
const other = newCosignKey();
const cosignKeys = [{ name: 'vendor', publicKey: vendor.publicKey }];
const pgpKeys = [{ name: 'helm', keyring: publicKeyring }];
const now = () => new Date('2030-01-01');

async function signerOf(
  request: ChartRequest,
  verification: ChartVerification,
  options: ChartSourceOptions = {},
): Promise<string | undefined> {
  const source = createChartSource({ plainHttp: true, now, ...options });
  const { signature } = await source.load({ ...request, verification }, new AbortController().signal);
  return signature && `${signature.by} ${signature.scheme} ${signature.digest}`;
}

const refuses = { name: 'SourceError', code: 'chart_not_verified' };

const oldVersion = await packChart('one', '1.0.0');
const newVersion = await packChart('two', '2.0.0');

type Beside = (digests: Record<string, string>) => Record<string, TestResponse>;

const inRegistry = test.macro(
  async (t, beside: Beside, expected: 'verified' | RegExp | 'unsigned', mode: ChartVerification['mode'] = 'always') => {
    const { host, digests, responses } = await serveRegistry(t, { '1.0.0': oldVersion, '2.0.0': newVersion });
    Object.assign(responses, beside(digests));
    const request = { chartName: `oci://${host}/team/web`, chartVersion: '2.0.0' };
    const run = () => signerOf(request, { mode, keys: cosignKeys });
    if (expected === 'verified') t.is(await run(), `vendor cosign ${digests['2.0.0'] ?? ''}`);
    else if (expected === 'unsigned') t.is(await run(), undefined);
    else await t.throwsAsync(run, { ...refuses, message: expected });
  },
);

const current = (digests: Record<string, string>) => ({ digest: digests['2.0.0'] ?? '', ...vendor });

test('a signature of cosign is verified', inRegistry, (all) => simpleSignature(current(all)), 'verified');
test('a bundle of cosign is verified', inRegistry, (all) => bundleSignature(current(all)), 'verified');
test(
  'a bundle in a registry without referrers is verified',
  inRegistry,
  (all) => bundleSignature(current(all), { byTag: true }),
  'verified',
);
test(
  'one valid signature is enough',
  inRegistry,
  (all) => ({ ...simpleSignature({ ...current(all), ...other }), ...bundleSignature(current(all)) }),
  'verified',
);
test(
  'a chart without a signature is refused',
  inRegistry,
  () => ({}),
  /web 2\.0\.0 has no signature; have it signed by one of the keys that count \(vendor\)/,
);
test('a chart without a signature is loaded if it need not have one', inRegistry, () => ({}), 'unsigned', 'if-present');
for (const mode of ['always', 'if-present'] as const) {
  test(
    `a signature of another key is refused (${mode})`,
    inRegistry,
    (all) => simpleSignature({ ...current(all), ...other }),
    /none of its 1 signatures by cosign/,
    mode,
  );
  test(
    `a signature of another manifest is refused (${mode})`,
    inRegistry,
    (all) => simpleSignature({ ...current(all), digest: all['1.0.0'] ?? '', at: all['2.0.0'] ?? '' }),
    /none of its 1 signatures/,
    mode,
  );
  test(
    `a bundle for another manifest is refused (${mode})`,
    inRegistry,
    (all) => bundleSignature({ ...current(all), digest: all['1.0.0'] ?? '', at: all['2.0.0'] ?? '' }),
    /none of its 1 signatures/,
    mode,
  );
}
test(
  'an attestation of the same key is no signature',
  inRegistry,
  (all) =>
    bundleSignature({
      ...current(all),
      change: (statement) => Object.assign(statement, { predicateType: 'https://spdx.dev/Document' }),
    }),
  /has no signature/,
);
test(
  'a signed text of another type is no signature',
  inRegistry,
  (all) =>
    simpleSignature({
      ...current(all),
      change: ({ critical }) => Object.assign(critical as object, { type: 'something else' }),
    }),
  /has no signature/,
);
test(
  'a list that leads to another path of the registry is not followed',
  inRegistry,
  (all) => {
    const layer = { mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json', digest: '../../../secret' };
    const path = `/v2/team/web/manifests/${(all['2.0.0'] ?? '').replace(':', '-')}.sig`;
    return { [path]: JSON.stringify({ layers: [layer, 7, null, { mediaType: 3 }] }) };
  },
  /has no signature/,
);

test('an old signed chart under the tag of a new one is refused', async (t) => {
  const { host, digests, responses } = await serveRegistry(t, { '1.0.0': oldVersion, '2.0.0': oldVersion });
  Object.assign(responses, simpleSignature(current(digests)));
  const request = { chartName: `oci://${host}/team/web`, chartVersion: '2.0.0' };
  const verification = { mode: 'if-present', keys: cosignKeys } as const;
  const message = /web 1\.0\.0 is signed by vendor, but web 2\.0\.0 was asked for/;
  await t.throwsAsync(signerOf(request, verification), { ...refuses, message });
});

test('keys of cosign can be RSA and Ed25519', async (t) => {
  for (const { publicKey, privateKey } of [
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
    generateKeyPairSync('ed25519'),
  ]) {
    const { host, digests, responses } = await serveRegistry(t, { '2.0.0': newVersion });
    Object.assign(responses, simpleSignature({ digest: digests['2.0.0'] ?? '', privateKey }));
    const keys = [{ name: 'a', publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() }];
    const request = { chartName: `oci://${host}/team/web`, chartVersion: '2.0.0' };
    t.regex((await signerOf(request, { mode: 'always', keys })) ?? '', /^a cosign /);
  }
});

interface Repository {
  archive?: Buffer;
  fileName?: string;
  provenance?: Buffer;
  version?: string;
}

const inRepository = test.macro(
  async (t, given: () => Promise<Repository>, expected: 'verified' | RegExp | 'unsigned', mode = 'always') => {
    const { archive = newVersion, fileName = 'web-2.0.0.tgz', provenance, version = '2.0.0' } = await given();
    const { url } = await serve(t, {
      '/index.yaml': indexYaml({ web: [{ version, url: fileName }] }),
      [`/${fileName}`]: archive,
      ...(provenance && { [`/${fileName}.prov`]: provenance }),
    });
    const verification = { mode: mode === 'always' ? 'always' : 'if-present', keys: pgpKeys } as const;
    for (const request of [
      { repoUrl: url, chartName: 'web', chartVersion: version },
      ...(expected instanceof RegExp && /asked/.test(expected.source) ? [] : [{ chartName: `${url}/${fileName}` }]),
    ]) {
      const run = () => signerOf(request, verification);
      if (expected === 'verified') t.is(await run(), `helm provenance sha256:${sha256(archive)}`);
      else if (expected === 'unsigned') t.is(await run(), undefined);
      else await t.throwsAsync(run, { ...refuses, message: expected });
    }
  },
);

const signedNew = () => provenanceOf(newVersion, { fileName: 'web-2.0.0.tgz' });

test('a provenance file is verified', inRepository, async () => ({ provenance: await signedNew() }), 'verified');
test('a chart without a provenance file is refused', inRepository, async () => Promise.resolve({}), /has no signature/);
test(
  'a chart without a provenance file is loaded if it need not have one',
  inRepository,
  async () => Promise.resolve({}),
  'unsigned',
  'if-present',
);
for (const mode of ['always', 'if-present']) {
  test(
    `a provenance file of other bytes is refused (${mode})`,
    inRepository,
    async () => ({ provenance: await signedNew(), archive: await packChart('three', '2.0.0') }),
    /provenance file: sha256 sum does not match/,
    mode,
  );
  test(
    `a provenance file of another key is refused (${mode})`,
    inRepository,
    async () => ({
      provenance: await provenanceOf(newVersion, { fileName: 'web-2.0.0.tgz', keyName: 'rsa@example.com' }),
    }),
    /provenance file: openpgp: signature made by unknown entity; have it signed by .*\(helm\)/,
    mode,
  );
  test(
    `what is not a provenance file is refused (${mode})`,
    inRepository,
    async () => Promise.resolve({ provenance: Buffer.from('-----BEGIN PGP SIGNED MESSAGE-----\n'.repeat(1000)) }),
    /provenance file: /,
    mode,
  );
}
test(
  'the file of an old version under the name of a new one is refused',
  inRepository,
  async () => ({
    archive: oldVersion,
    fileName: 'web-2.0.0.tgz',
    provenance: await provenanceOf(oldVersion, { fileName: 'web-2.0.0-old.tgz' }),
  }),
  /provenance does not contain a SHA for a file named/,
);
test(
  'an index that gives an old signed chart for a new version is refused',
  inRepository,
  async () => ({
    archive: oldVersion,
    fileName: 'web-1.0.0.tgz',
    provenance: await provenanceOf(oldVersion, { fileName: 'web-1.0.0.tgz' }),
  }),
  /web 1\.0\.0 is signed by helm, but web 2\.0\.0 was asked for/,
);

test('a provenance file in a registry is verified', async (t) => {
  const provenance = await signedNew();
  const { host } = await serveRegistry(t, { '2.0.0': newVersion }, { provenance });
  const request = { chartName: `oci://${host}/team/web:2.0.0` };
  const keys = [...cosignKeys, ...pgpKeys];
  t.is(await signerOf(request, { mode: 'always', keys }), `helm provenance sha256:${sha256(newVersion)}`);
});

test('an archive that comes with the command is verified by its provenance file', async (t) => {
  const verification = { mode: 'always', keys: pgpKeys } as const;
  const request = { chartName: './web', archive: newVersion };
  const provenance = await signedNew();
  t.regex((await signerOf({ ...request, provenance }, verification)) ?? '', /^helm provenance /);
  await t.throwsAsync(signerOf(request, verification), refuses);
  await t.throwsAsync(signerOf({ ...request, archive: oldVersion, provenance }, verification), refuses);
});

test('a local archive is verified, a folder is not, and links do not leave the folder', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'verify-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const charts = join(folder, 'charts');
  await writeFile(join(folder, 'outside.prov'), await signedNew());
  const { mkdir } = await import('node:fs/promises');
  await mkdir(join(charts, 'web'), { recursive: true });
  await writeFile(join(charts, 'web', 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 2.0.0\n');
  await writeFile(join(charts, 'web-2.0.0.tgz'), newVersion);
  const verification = { mode: 'always', keys: pgpKeys } as const;
  const run = (chartName: string, mode: ChartVerification['mode'] = 'always') =>
    signerOf({ chartName }, { ...verification, mode }, { localCharts: charts });
  await symlink(join(folder, 'outside.prov'), join(charts, 'web-2.0.0.tgz.prov'));
  await t.throwsAsync(run('web-2.0.0.tgz'), { ...refuses, message: /has no signature/ });
  await rm(join(charts, 'web-2.0.0.tgz.prov'));
  await writeFile(join(charts, 'web-2.0.0.tgz.prov'), await signedNew());
  t.regex((await run('web-2.0.0.tgz')) ?? '', /^helm provenance /);
  await t.throwsAsync(run('web'), { ...refuses, message: /is a folder, which cannot be signed/ });
  t.is(await run('web', 'if-present'), undefined);
});

test('without keys, nothing is verified, and the error says who adds them', async (t) => {
  const run = signerOf({ chartName: 'web', archive: newVersion }, { mode: 'if-present', keys: [] });
  await t.throwsAsync(run, {
    ...refuses,
    message: /knows no keys of charts; let the owner of the cluster add chartKeys/,
  });
});

test('a keyring that is not one is an error, not a signature', async (t) => {
  const provenance = await signedNew();
  const keys = [{ name: 'a', keyring: 'AAAA' }];
  const run = signerOf({ chartName: 'web', archive: newVersion, provenance }, { mode: 'always', keys });
  await t.throwsAsync(run, { ...refuses, message: /failed to load keyring/ });
});
