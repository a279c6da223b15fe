import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import type { ChartKey } from '../../../src/source/chart-request.ts';
import { createChartSource } from '../../../src/source/chart-source.ts';
import { type CosignResult, verifyCosign } from '../../../src/source/verification/verify-cosign.ts';
import { packChart } from '../packed-chart.ts';
import { serveRegistry } from '../test-registry.ts';
import { bundleResponses, newCosignKey } from './signatures.ts';
import {
  createSigstore,
  keylessAnnotations,
  type KeylessBundle,
  keylessBundle,
  keylessKey,
  type KeylessOptions,
  signingTime,
  testIdentity,
  testIssuer,
} from './test-sigstore.ts';

const sigstore = createSigstore();
const other = createSigstore();
const digest = `sha256:${'ab'.repeat(32)}`;
const otherDigest = `sha256:${'cd'.repeat(32)}`;
const vendor = keylessKey(sigstore);
const hour = 3_600_000;

type Options = Partial<KeylessOptions>;

const verifyText = (text: string, keys: readonly ChartKey[] = [vendor]): Promise<CosignResult> =>
  verifyCosign({ manifest: digest, stored: [{ kind: 'bundle', content: Buffer.from(text) }], keys });

const verifyBundle = (bundle: object, keys?: readonly ChartKey[]) => verifyText(JSON.stringify(bundle), keys);

const verifySimple = (
  options: Options = {},
  change: (annotations: Record<string, string>) => void = () => undefined,
) => {
  const { payload, annotations } = keylessAnnotations({ sigstore, digest, ...options });
  change(annotations);
  const stored = [{ kind: 'simple', content: payload, annotations }] as const;
  return verifyCosign({ manifest: digest, stored, keys: [vendor] });
};

const bundleOf = (options: Options = {}) => keylessBundle({ sigstore, digest, ...options });

function isRefused(t: ExecutionContext, { count, signedBy, problem = '' }: CosignResult, expected: RegExp): void {
  t.is(signedBy, undefined);
  t.is(count, 1);
  t.regex(problem, expected);
}

for (const [form, verify] of [
  ['a bundle', (options: Options) => verifyBundle(bundleOf(options))],
  ['annotations', (options: Options) => verifySimple(options)],
] as const) {
  test(`${form}: a signature without a key is verified, and says who has signed`, async (t) => {
    const { signedBy } = await verify({});
    t.like(signedBy, { name: 'vendor', issuer: testIssuer, identity: testIdentity });
    t.regex(signedBy?.key ?? '', /^SHA256:[0-9a-f]{64}$/);
  });

  const refused = (title: string, options: Options, expected: RegExp) => {
    test(`${form}: ${title} is refused`, async (t) => {
      isRefused(t, await verify(options), expected);
    });
  };

  refused(
    'another issuer',
    { issuer: 'https://evil.example' },
    /for vendor, the issuer in its certificate is "https:\/\/evil\.example", not "https:\/\/token/,
  );
  refused(
    'another identity',
    { identity: `${testIdentity}1` },
    /the identity in its certificate is "https:.*v2\.0\.01", not "https:.*v2\.0\.0"/,
  );
  refused('an identity that differs in the case', { identity: testIdentity.toUpperCase() }, /the identity in its cert/);
  refused('an address of mail in place of a URL', { identity: 'a@example.com' }, /the identity .* "a@example\.com"/);
  refused(
    'a certificate of another authority',
    { authority: other.intermediate },
    /not of an authority of the trusted/,
  );
  refused('a self-signed certificate', { authority: undefined }, /not of an authority of the trusted root/);
  refused(
    'a certificate that an authority of the root did not sign itself',
    { authority: { ...other.intermediate, subject: 'intermediate' } },
    /not of an authority of the trusted root/,
  );
  refused(
    'a certificate without an entry in a log of certificates',
    { certificateLog: undefined },
    /not proved to be in a log of certificates/,
  );
  refused(
    'a certificate in another log of certificates',
    { certificateLog: other.certificateLog },
    /not proved to be in a log of certificates \(SCT verification failed\)/,
  );
  refused(
    'a certificate that has expired before it signed',
    { loggedAt: new Date(signingTime.getTime() + hour) },
    /a certificate was not valid at its time/,
  );
  refused(
    'a signature from before its certificate',
    { loggedAt: new Date(signingTime.getTime() - hour) },
    /a certificate was not valid at its time/,
  );
  refused(
    'a signature from before the authority',
    { loggedAt: new Date('2025-01-01') },
    /no authority of the trusted root was valid at its time/,
  );
  refused('an entry of another log', { log: other.log }, /not proved to be in a log of the trusted root/);
  refused(
    'an entry of a log for another text',
    { loggedPayload: Buffer.from('{}') },
    /its entry of a log is for another signature/,
  );
  refused('a signature by another key', { signer: other.log }, /is not by the key of its certificate/);
  refused('a signature of another manifest', { digest: otherDigest }, /they are for other manifests/);
  refused(
    'a name whose bytes have another bit',
    { identity: Buffer.from(testIdentity).map((byte, index) => (index === 30 ? byte | 0x80 : byte)) as Buffer },
    /does not have one issuer and one identity/,
  );
}

test('an authority counts only for the time that the root says', async (t) => {
  const ended = createSigstore({ end: new Date(signingTime.getTime() - hour) });
  const result = await verifyBundle(keylessBundle({ sigstore: ended, digest }), [keylessKey(ended)]);
  isRefused(t, result, /no authority of the trusted root was valid at its time/);
});

test('an identity can be an address of mail, and a pattern', async (t) => {
  const identity = 'release@example.com';
  for (const [pattern, isAllowed] of [
    [identity, true],
    ['*@example.com', true],
    ['*@other.example', false],
    ['release@example.co', false],
  ] as const) {
    const { signedBy } = await verifyBundle(bundleOf({ identity }), [keylessKey(sigstore, { identity: pattern })]);
    t.is(signedBy !== undefined, isAllowed, pattern);
  }
  const tags = keylessKey(sigstore, { identity: testIdentity.replace('v2.0.0', '*') });
  t.is((await verifyBundle(bundleOf(), [tags])).signedBy?.identity, testIdentity);
});

test('the parts of a pattern are no regular expression', async (t) => {
  const identity = testIdentity.replace('release.yml', 'releaseXyml');
  isRefused(t, await verifyBundle(bundleOf({ identity })), /the identity in its certificate/);
});

test('one root is used by several keys, and the first that has signed is named', async (t) => {
  const keys = [
    { name: 'cosign', publicKey: newCosignKey().publicKey },
    { ...keylessKey(sigstore, { issuer: 'https://accounts.example.com' }), name: 'a' },
    { ...keylessKey(other), name: 'b' },
    vendor,
  ];
  t.is((await verifyBundle(bundleOf(), keys)).signedBy?.name, 'vendor');
  const { problem = '' } = await verifyBundle(bundleOf(), keys.slice(0, -1));
  t.regex(problem, /^for a, the issuer .*; for b, it/);
});

test('a bundle that a key has signed is none without a key, and the other way round', async (t) => {
  const { verificationMaterial, ...rest } = bundleOf();
  const { certificate, ...material } = verificationMaterial;
  t.truthy(certificate);
  const keyed = { ...rest, verificationMaterial: { ...material, publicKey: { hint: 'x' } } };
  isRefused(t, await verifyBundle(keyed), /verificationMaterial has no certificate/);
  const { signedBy } = await verifyBundle(bundleOf(), [{ name: 'a', publicKey: newCosignKey().publicKey }]);
  t.is(signedBy, undefined);
});

type Change = (bundle: KeylessBundle, entry: KeylessBundle['verificationMaterial']['tlogEntries'][number]) => unknown;

const changed = test.macro(async (t, change: Change, expected: RegExp) => {
  const bundle = bundleOf();
  const [entry] = bundle.verificationMaterial.tlogEntries;
  if (entry === undefined) throw new Error('the bundle has no entry of a log');
  change(bundle, entry);
  isRefused(t, await verifyBundle(bundle), expected);
});

const assign = (target: object, fields: object) => Object.assign(target, fields);
const deep = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

test('no entry of a log', changed, ({ verificationMaterial: of }) => (of.tlogEntries = []), /its time is not proved/);
test(
  'no proof of inclusion',
  changed,
  (_, entry) => assign(entry, { inclusionProof: undefined }),
  /its bundle lacks .*inclusionProof/,
);
test(
  'no proof of the time',
  changed,
  (_, entry) => assign(entry, { inclusionPromise: undefined }),
  /its time is not proved by the trusted root \(expected 1 timestamps, got 0\)/,
);
test(
  'a later time than the log has promised',
  changed,
  (_, entry) => (entry.integratedTime = String(Number(entry.integratedTime) + 1)),
  /not proved to be in a log of the trusted root \(inclusion promise/,
);
test(
  'the promise of another entry',
  changed,
  (_, entry) => assign(entry, { inclusionPromise: bundleOf().verificationMaterial.tlogEntries[0]?.inclusionPromise }),
  /not proved to be in a log/,
);
test(
  'the proof of another entry',
  changed,
  (_, entry) => assign(entry, { inclusionProof: bundleOf().verificationMaterial.tlogEntries[0]?.inclusionProof }),
  /not proved to be in a log .*root hash/,
);
test(
  'an entry twice',
  changed,
  ({ verificationMaterial: { tlogEntries } }) => tlogEntries.push(...tlogEntries),
  /its time is not proved .*duplicate/,
);
test(
  'more entries than any bundle has',
  changed,
  ({ verificationMaterial: { tlogEntries } }) => tlogEntries.push(...Array<never>(2000).fill(tlogEntries[0] as never)),
  /its bundle cannot be read: verificationMaterial\.tlogEntries Too big/,
);
test(
  'a certificate with something behind it',
  changed,
  ({ verificationMaterial: { certificate } }) =>
    (certificate.rawBytes = certificate.rawBytes.replace(/={0,2}$/, 'AAAA')),
  /for vendor, its bundle cannot be read/,
);
test(
  'a certificate that is none',
  changed,
  ({ verificationMaterial: { certificate } }) => (certificate.rawBytes = Buffer.alloc(12_000, 0x24).toString('base64')),
  /for vendor, its bundle cannot be read/,
);
test(
  'a list in place of bytes, which would become a buffer of its length',
  changed,
  ({ verificationMaterial: { certificate } }) => assign(certificate, { rawBytes: { length: 4_000_000_000 } }),
  /certificate\.rawBytes Invalid input: expected string/,
);
test(
  'nested lists in place of bytes',
  changed,
  (_, entry) => assign(entry, { canonicalizedBody: deep(1000) }),
  /canonicalizedBody Invalid input: expected string/,
);
test(
  'a catastrophic pattern as the name in a checkpoint',
  changed,
  (bundle) => {
    const name = '(((a+)+)+)+$|https://log.example(.*.*.*.*)*x';
    assign(bundle, bundleOf({ checkpointName: name }));
  },
  /its bundle cannot be read: .*checkpoint\.envelope has a name that is not one of a log/,
);
test(
  'a name of another log in a checkpoint',
  changed,
  (bundle) => assign(bundle, bundleOf({ checkpointName: 'other.example' })),
  /not proved to be in a log of the trusted root \(invalid checkpoint signature\)/,
);
test(
  'a checkpoint with a size of many digits',
  changed,
  (_, { inclusionProof: { checkpoint } }) => {
    checkpoint.envelope = checkpoint.envelope.replace('\n2\n', `\n${'9'.repeat(12_000)}\n`);
  },
  /not proved to be in a log/,
);
test(
  'a long checkpoint',
  changed,
  (_, { inclusionProof: { checkpoint } }) => (checkpoint.envelope += '\u2014 a b\n'.repeat(10_000)),
  /checkpoint\.envelope Too big/,
);
test(
  'a time from an authority that the root does not have',
  changed,
  ({ verificationMaterial: material }) =>
    assign(material, {
      timestampVerificationData: {
        rfc3161Timestamps: [{ signedTimestamp: Buffer.alloc(3000, 0x30).toString('base64') }],
      },
    }),
  /for vendor, its bundle cannot be read/,
);

test('deep and huge texts are no signatures, and take no time', async (t) => {
  const bundle = JSON.stringify(bundleOf());
  for (const text of [
    '['.repeat(120_000),
    `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
    `${bundle.slice(0, -1)},"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
    '',
    'null',
    '{"dsseEnvelope":{"payloadType":"application/vnd.in-toto+json","payload":"e30="}}',
  ]) {
    const start = performance.now();
    t.deepEqual(await verifyText(text), { count: 0 });
    t.true(performance.now() - start < 2000);
  }
});

test('an entry in annotations that is wrong is refused', async (t) => {
  const name = 'dev.sigstore.cosign/bundle';
  for (const [entry, expected] of [
    ['{', /its entry of a log cannot be read/],
    ['{"SignedEntryTimestamp":"AA==","Payload":{"body":{"length":4000000000}}}', /Payload\.body Invalid input/],
    ['[]'.padStart(100_000, ' '), /its entry of a log cannot be read/],
  ] as const) {
    isRefused(t, await verifySimple({}, (annotations) => (annotations[name] = entry)), expected);
  }
  const without = async (left: string) =>
    verifySimple({}, (annotations) => {
      Reflect.deleteProperty(annotations, left);
    });
  isRefused(t, await without(name), /it has no entry of a log/);
  isRefused(t, await without('dev.sigstore.cosign/certificate'), /it has no certificate/);
  const certificate = `-----BEGIN CERTIFICATE-----\n${'A'.repeat(10_000)}`;
  const wrong = await verifySimple({}, (annotations) => (annotations['dev.sigstore.cosign/certificate'] = certificate));
  isRefused(t, wrong, /its certificate cannot be read/);
});

test('an attestation of the same identity is no signature', async (t) => {
  const change = (statement: object) => Object.assign(statement, { predicateType: 'https://spdx.dev/Document' });
  t.is((await verifyBundle(bundleOf({ change }))).count, 0);
});

test('the library for signatures without a key is loaded only for such a key', async (t) => {
  const module = JSON.stringify(new URL('../../../src/source/verification/verify-cosign.ts', import.meta.url));
  const task = {
    manifest: digest,
    stored: [{ kind: 'bundle', content: [...Buffer.from(JSON.stringify(bundleOf()))] }],
  };
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier.startsWith('@sigstore/')) loaded.add(specifier);
        return next(specifier, context);
      },
    });
    const { verifyCosign } = await import(${module});
    const counts = [];
    for (const keys of ${JSON.stringify([[{ name: 'a', publicKey: newCosignKey().publicKey }], [vendor]])}) {
      await verifyCosign({ ...${JSON.stringify(task)}, keys });
      counts.push(loaded.size > 0);
    }
    console.log(JSON.stringify(counts));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  t.deepEqual(JSON.parse(stdout), [false, true]);
});

const chart = await packChart('one', '2.0.0');
const oldChart = await packChart('old', '1.0.0');

/** Loads version 2.0.0 of a chart whose registry has a bundle beside it. */
async function load(t: ExecutionContext, archive: Buffer, bundleFor: (digest: string) => object) {
  const { host, digests, responses } = await serveRegistry(t, { '2.0.0': archive });
  const manifest = digests['2.0.0'] ?? '';
  Object.assign(responses, bundleResponses(JSON.stringify(bundleFor(manifest)), manifest));
  const request = { chartName: `oci://${host}/team/web`, chartVersion: '2.0.0' };
  const verification = { mode: 'always', keys: [vendor] } as const;
  const source = createChartSource({ plainHttp: true, now: () => new Date('2030-01-01') });
  return (await source.load({ ...request, verification }, new AbortController().signal)).signature;
}

const refuses = { name: 'SourceError', code: 'chart_not_verified' };

test('a chart of a registry is loaded with its signature without a key', async (t) => {
  const signature = await load(t, chart, (manifest) => bundleOf({ digest: manifest }));
  t.like(signature, { by: 'vendor', scheme: 'cosign', issuer: testIssuer, identity: testIdentity });
});

test('the bundle of another chart is refused', async (t) => {
  const message =
    /web 2\.0\.0 has no valid signature: none of its 1 signatures .*: they are for other manifests; have it/;
  await t.throwsAsync(
    load(t, chart, () => bundleOf()),
    { ...refuses, message },
  );
});

test('an old chart with its signature is refused as a new one', async (t) => {
  const message = /web 1\.0\.0 is signed by vendor, but web 2\.0\.0 was asked for/;
  await t.throwsAsync(
    load(t, oldChart, (manifest) => bundleOf({ digest: manifest })),
    { ...refuses, message },
  );
});

test('a huge bundle is not read', async (t) => {
  const huge = (manifest: string) => ({ ...bundleOf({ digest: manifest }), more: 'a'.repeat(256 * 1024) });
  await t.throwsAsync(load(t, chart, huge), { name: 'SourceError' });
});
