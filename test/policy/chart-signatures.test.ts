import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { decide } from '../../src/policy/command-policy.ts';
import { readPolicy } from '../../src/policy/policy-rules.ts';
import type { PolicyScope } from '../../src/policy/policy-scope.ts';

const pem = ({ publicKey }: { publicKey: { export: (options: { type: 'spki'; format: 'pem' }) => string | Buffer } }) =>
  JSON.stringify(publicKey.export({ type: 'spki', format: 'pem' }).toString());
const p256 = pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
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
test('a key without a content is refused', wrong, policyOf('', keys('name: a')), /either publicKey or keyring/);
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
  t.notThrows(() => signatures.require({ by: 'vendor' }));
  const code = 'denied_by_policy';
  t.throws(() => signatures.require({ by: 'other' }), {
    code,
    message: /rule production .*: verify: .* signed by other/,
  });
  t.throws(() => signatures.require(undefined), { code, message: /verify: the chart has no signature/ });
  t.throws(() => signatures.require(undefined, 'it was changed'), { code, message: /verify: it was changed/ });
});

test('plain manifests are refused by a rule that requires signatures', (t) => {
  const chart = { reference: 'manifests:', hasDigest: true, hasDownloads: false };
  const run = (rule: string) => () => decide(readPolicy(policyOf(rule)), { ...scope, chart }, { begins: new Date(0) });
  t.throws(run('verify: {}'), { code: 'denied_by_policy', message: /verify/ });
  t.notThrows(run('verify: { mode: if-present }'));
});
