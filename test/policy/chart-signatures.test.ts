import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { decide } from '../../src/policy/command-policy.ts';
import { readPolicy } from '../../src/policy/policy-rules.ts';
import type { PolicyScope } from '../../src/policy/policy-scope.ts';
import { fingerprintOf } from '../../src/signatures/public-key.ts';
import { createSigstore, testIdentity, testIssuer } from '../source/verification/test-sigstore.ts';

const pem = ({ publicKey }: { publicKey: { export: (options: { type: 'spki'; format: 'pem' }) => string | Buffer } }) =>
  JSON.stringify(publicKey.export({ type: 'spki', format: 'pem' }).toString());
const vendorKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p256 = pem(vendorKey);
const fingerprint = fingerprintOf(vendorKey.publicKey);
const keys = (...values: string[]) => `chartKeys: [${values.map((value) => `{ ${value} }`).join(', ')}]\n`;
const two = keys(`name: vendor, publicKey: ${p256}`, `name: other, keyring: AAAA`);
const policyOf = (rule: string, head = two) => `${head}rules:\n  - { name: production, ${rule} }\ndefault: deny\n`;

const wrong = test.macro((t, text: string, message: RegExp) => {
  t.throws(() => readPolicy(text), { message });
});

const rsa = (modulusLength: number) => pem(generateKeyPairSync('rsa', { modulusLength }));
const weak = `"-----BEGIN PUBLIC KEY-----\\n${Buffer.concat([
  Buffer.from('302a300506032b6570032100', 'hex'),
  Buffer.alloc(32),
]).toString('base64')}\\n-----END PUBLIC KEY-----\\n"`;

test('a rule without keys is refused', wrong, policyOf('verify: {}', ''), /rules\[0\]\.verify: needs chartKeys/);
test('a rule with an unknown key is refused', wrong, policyOf('verify: { keys: [a] }'), /no key a in chartKeys/);
test('a wrong mode is refused', wrong, policyOf('verify: { mode: never }'), /must be always or if-present/);
test(
  'a key without a content is refused',
  wrong,
  policyOf('', keys('name: a')),
  /must have one of publicKey, keyring and keyless/,
);
test(
  'two keys with one name are refused',
  wrong,
  policyOf('', keys('name: a, keyring: AA', 'name: a, keyring: AA')),
  /another key is named a/,
);
test(
  'a private key is refused',
  wrong,
  policyOf('', keys(`name: a, publicKey: "-----BEGIN PRIVATE KEY-----"`)),
  /must be a public key in PEM/,
);
test('a short RSA key is refused', wrong, policyOf('', keys(`name: a, publicKey: ${rsa(1024)}`)), /at least 2048 bits/);
test('a weak Ed25519 key is refused', wrong, policyOf('', keys(`name: a, publicKey: ${weak}`)), /safe to use/);
test(
  'a keyring of something else is refused',
  wrong,
  policyOf('', keys('name: a, keyring: "%%%"')),
  /what gpg --export KEY prints/,
);
test(
  'a long keyring is refused in linear time',
  wrong,
  policyOf('', keys(`name: a, keyring: "${'A '.repeat(100_000)}%"`)),
  /what gpg --export KEY prints/,
);

const { trustedRoot } = createSigstore();
interface Keyless {
  issuer?: string;
  identity?: string;
  root?: string;
}
const keyless = ({ issuer = testIssuer, identity = testIdentity, root = trustedRoot }: Keyless = {}) =>
  `name: vendor, keyless: ${JSON.stringify({ issuer, identity, trustedRoot: root })}`;

const wrongKeyless = test.macro((t, given: Keyless, message: RegExp) => {
  t.throws(() => readPolicy(policyOf('verify: {}', keys(keyless(given)))), { message });
});

test('an issuer that is no URL is refused', wrongKeyless, { issuer: 'github' }, /keyless\.issuer: must be a URL/);
test('an identity of anyone is refused', wrongKeyless, { identity: '*' }, /keyless\.identity: must not begin with \*/);
test(
  'an identity in any repository is refused',
  wrongKeyless,
  { identity: '*@refs/heads/main' },
  /keyless\.identity: must not begin with \*/,
);
test('an identity with a space is refused', wrongKeyless, { identity: 'a b' }, /must be a URL or an address of mail/);
test('a root that is no JSON is refused', wrongKeyless, { root: 'a' }, /keyless\.trustedRoot: must be JSON text/);
test('a root of something else is refused', wrongKeyless, { root: '{}' }, /keyless\.trustedRoot: mediaType /);
test(
  'a root without a log is refused',
  wrongKeyless,
  { root: JSON.stringify({ ...JSON.parse(trustedRoot), tlogs: [] }) },
  /trustedRoot: tlogs Too small/,
);
test(
  'a root without a log of certificates is refused',
  wrongKeyless,
  { root: JSON.stringify({ ...JSON.parse(trustedRoot), ctlogs: undefined }) },
  /trustedRoot: ctlogs Invalid input/,
);
test(
  'a root with a certificate that cannot be read is refused',
  wrongKeyless,
  { root: trustedRoot.replace(/"certificates":\[\{"rawBytes":"[^"]{20}/, '"certificates":[{"rawBytes":"AAAA') },
  /trustedRoot: certificateAuthorities\.0\.certChain\.certificates\.0\.rawBytes cannot be read/,
);
test(
  'a root with the key of a log that cannot be read is refused',
  wrongKeyless,
  { root: trustedRoot.replace(/"publicKey":\{"rawBytes":"[^"]{20}/, '"publicKey":{"rawBytes":"AAAA') },
  /trustedRoot: tlogs\.0 has a publicKey that cannot be read/,
);
test('a key of two forms is refused', wrong, policyOf('', keys(`${keyless()}, keyring: AA`)), /must have one of/);

test('an identity without a key is accepted, also for all addresses of a domain', (t) => {
  for (const identity of [testIdentity, 'https://github.com/acme/*', '*@example.com']) {
    t.notThrows(() => readPolicy(policyOf('verify: { keys: [vendor] }', keys(keyless({ identity })))));
  }
});

test('a plan keeps its signature without a key only while issuer and identity are those of the key', (t) => {
  const signed = { by: 'vendor', key: 'SHA256:00', issuer: testIssuer, identity: testIdentity };
  const run = (given: Keyless, signature: object = signed) => {
    const policy = readPolicy(policyOf('verify: {}', keys(keyless(given))));
    const { chartSignatures } = decide(policy, scope, { begins: new Date(0) });
    return () => chartSignatures?.require({ ...signed, ...signature });
  };
  t.notThrows(run({}));
  t.notThrows(run({ identity: `${testIdentity.slice(0, 40)}*` }));
  const code = 'denied_by_policy';
  t.throws(run({ issuer: 'https://accounts.example.com' }), { code, message: /signed by vendor \(https:\/\/github/ });
  t.throws(run({ identity: 'https://github.com/other/*' }), { code });
  t.throws(run({}, { issuer: undefined, identity: undefined }), { code });
});

test('keys of all kinds are accepted', (t) => {
  const all = [p256, rsa(2048), pem(generateKeyPairSync('ed25519'))].map((key, i) => `name: k${i}, publicKey: ${key}`);
  t.notThrows(() => readPolicy(policyOf('verify: { keys: [k0, k2] }', keys(...all))));
});

const scope: PolicyScope = {
  ...{ type: 'install_release', right: 'deploy', namespace: 'shop', releaseName: 'web', sentBy: 'ci' },
  ...{ changes: true, chart: undefined, payload: {} },
};
const signaturesOf = (rule: string) => {
  const { chartSignatures } = decide(readPolicy(policyOf(rule)), scope, { begins: new Date(0) });
  if (chartSignatures === undefined) throw new Error('the policy has no signatures of charts');
  return chartSignatures;
};

const modes = test.macro(
  (t, rule: string, asked: 'always' | 'if-present' | 'never' | undefined, mode?: 'always' | 'if-present') => {
    t.is(signaturesOf(rule).verification(asked)?.mode, mode);
  },
);
test('without a rule, a command decides', modes, '', 'if-present', 'if-present');
test('without both, nothing is verified', modes, '', undefined, undefined);
test('a command cannot ask for less than its rule', modes, 'verify: {}', 'never', 'always');
test('a command can ask for more than its rule', modes, 'verify: { mode: if-present }', 'always', 'always');
test('a rule counts for commands that do not ask', modes, 'verify: { mode: if-present }', undefined, 'if-present');

test('only the keys of the rule count', (t) => {
  const signatures = signaturesOf('verify: { keys: [vendor] }');
  t.deepEqual(
    signatures.verification(undefined)?.keys.map(({ name }) => name),
    ['vendor'],
  );
  t.notThrows(() => signatures.require({ by: 'vendor', key: fingerprint }));
  const code = 'denied_by_policy';
  t.throws(() => signatures.require({ by: 'other', key: 'a' }), {
    code,
    message: /rule production .*: verify: .* signed by other/,
  });
  t.throws(() => signatures.require({ by: 'vendor', key: `SHA256:${'0'.repeat(64)}` }), { code });
  t.throws(() => signatures.require(undefined), { code, message: /verify: the chart has no signature/ });
  t.throws(() => signatures.require(undefined, 'it was changed'), { code, message: /verify: it was changed/ });
});

test('plain manifests are refused by a rule that requires signatures', (t) => {
  const chart = { reference: 'manifests:', hasDigest: true, hasDownloads: false };
  const run = (rule: string) => () => decide(readPolicy(policyOf(rule)), { ...scope, chart }, { begins: new Date(0) });
  t.throws(run('verify: {}'), { code: 'denied_by_policy', message: /verify/ });
  t.notThrows(run('verify: { mode: if-present }'));
});
