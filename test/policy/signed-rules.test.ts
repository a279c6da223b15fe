import test from 'ava';
import { decide } from '../../src/policy/command-policy.ts';
import { readPolicy } from '../../src/policy/policy-rules.ts';
import type { PolicyScope } from '../../src/policy/policy-scope.ts';
import { signCommand } from '../../src/signatures/command-statement.ts';
import { sshLineOf } from '../../src/signatures/public-key.ts';
import { newSigner } from '../signatures/support/keys.ts';

const ci = newSigner();
const ciNext = newSigner();
const alice = newSigner();
const bob = newSigner();
const noon = Date.parse('2026-03-04T12:00:00Z');
const hour = 3_600_000;

const lines = {
  ci: sshLineOf(ci.publicKey),
  ciNext: sshLineOf(ciNext.publicKey),
  alice: sshLineOf(alice.publicKey),
  bob: sshLineOf(bob.publicKey),
};

const keyText = `keys:
  - { name: ci, publicKey: "${lines.ci}", roles: [deploy], notAfter: '2026-03-04T12:30:00Z' }
  - { name: ci, publicKey: "${lines.ciNext}", roles: [deploy], notBefore: '2026-03-04T00:00:00Z' }
  - { name: alice, publicKey: "${lines.alice}", roles: [ops, deploy] }
  - { name: bob, publicKey: "${lines.bob}", roles: [ops] }
`;

const policyText = (rule: string, keys = keyText) =>
  `${keys}rules:\n  - { name: production, ${rule} }\n  - { name: other }\ndefault: deny\n`;

const packet = { agentId: 'edge-1', key: 'k', type: 'install_release', payload: '{"releaseName":"web"}' };
const scope: PolicyScope = {
  ...{ type: packet.type, right: 'deploy', namespace: 'shop', releaseName: 'web', sentBy: 'ci' },
  ...{ changes: true, chart: undefined, payload: {} },
};

const at = (time: number) => () => ({ earliest: time, latest: time + 1000 });
const signed = async (...signers: (typeof ci)[]) => ({
  ...packet,
  envelope: await signCommand(packet, signers, { now: noon, lifetimeMs: hour }),
});

interface Case {
  by?: (typeof ci)[];
  rule?: string;
  time?: number;
  changes?: object;
}

const required = test.macro(async (t, { by, rule, time = noon, changes }: Case, code?: string, message?: RegExp) => {
  const policy = readPolicy(policyText(rule ?? 'signedBy: { roles: [deploy] }'));
  const sent = by === undefined ? { ...packet, envelope: undefined } : await signed(...by);
  const run = () => decide(policy, { ...scope, packet: { ...sent, ...changes } }, { begins: new Date(time) }, at(time));
  if (code === undefined) {
    const { signature, rule: name } = run();
    t.is(name, 'production');
    t.deepEqual(signature?.issuedAt, noon);
    return;
  }
  const error = t.throws(run);
  t.is((error as { code?: string }).code, code);
  t.regex(error.message, /^rule production of the policy /);
  t.regex(error.message, message ?? /./);
});

test('a signed command is allowed', required, { by: [ci] });
test('a command without a signature is refused', required, {}, 'signature_required', /--sign-key/);
test('a signature of another role is refused', required, { by: [bob] }, 'signature_required', /none of them/);
test('a signature of an unknown key is refused', required, { by: [newSigner()] }, 'signature_required');
test('a key that begins to count is valid beside the old one', required, { by: [ciNext] });
test('a key is refused after its time', required, { by: [ci], time: noon + 0.75 * hour }, 'signature_required');
test('two roles may sign', required, { by: [bob], rule: 'signedBy: { roles: [deploy, ops] }' });
test('two holders may be required', required, { by: [alice, bob], rule: 'signedBy: { roles: [ops], count: 2 }' });
test(
  'two signatures of one key are one',
  required,
  { by: [alice, alice], rule: 'signedBy: { roles: [ops], count: 2 }' },
  'signature_required',
  /only alice has signed/,
);
test(
  'two keys of one holder are one',
  required,
  { by: [ci, ciNext], rule: 'signedBy: { roles: [deploy], count: 2 }' },
  'signature_required',
  /only ci has signed/,
);
test('an expired signature is refused', required, { by: [ci], time: noon + 2 * hour }, 'signature_expired');
test('a command for another agent is refused', required, { by: [ci], changes: { agentId: 'x' } }, 'signature_invalid');
test('a changed payload is refused', required, { by: [ci], changes: { payload: '{}' } }, 'signature_invalid');
test(
  'an envelope that is not one is refused',
  required,
  { by: [ci], changes: { envelope: '{}' } },
  'signature_invalid',
);

test('a rule without signatures does not look at them', (t) => {
  const policy = readPolicy(policyText('commands: [read], signedBy: { roles: [ops] }'));
  const found = decide(policy, { ...scope, packet: { ...packet, envelope: '!' } }, { begins: new Date(noon) });
  t.is(found.rule, 'other');
  t.is(found.signature, undefined);
});

test('a command without its packet is refused', (t) => {
  const policy = readPolicy(policyText('signedBy: { roles: [ops] }'));
  t.throws(() => decide(policy, scope, { begins: new Date(noon) }), { code: 'signature_required' });
});

test('a command that has begun continues after its signature has expired, and not without its key', async (t) => {
  const policy = readPolicy(policyText('signedBy: { roles: [deploy] }'));
  const run = async (by: typeof ci, time: number) => {
    const sent = { ...scope, packet: await signed(by) };
    return () => decide(policy, sent, 'continued', at(time));
  };
  t.notThrows(await run(alice, noon + 100 * hour));
  t.throws(await run(ci, noon + 100 * hour), { code: 'signature_required' });
  t.throws(await run(newSigner(), noon), { code: 'signature_required' });
});

test('a change of a command that has begun needs no signature that is still valid, and an open window', async (t) => {
  const policy = readPolicy(
    policyText("signedBy: { roles: [deploy] }, windows: [{ from: '12:00', to: '13:00', timeZone: UTC }]"),
  );
  const sent = { ...scope, packet: await signed(alice) };
  const run = (time: number) => () => decide(policy, sent, { begins: new Date(time), isAccepted: true }, at(time));
  t.notThrows(run(noon + 96 * hour));
  t.throws(run(noon + 98 * hour), { message: /windows: / });
});

const wrong = test.macro((t, text: string, message: RegExp) => {
  t.throws(() => readPolicy(text), { message });
});
const oneKey = (fields: string) => policyText('deny: closed', `keys:\n  - { ${fields} }\n`);

test('a role that no key has is refused', wrong, policyText('signedBy: { roles: [dev] }'), /no key has the role dev/);
test(
  'more holders than there are is refused',
  wrong,
  policyText('signedBy: { roles: [ops], count: 3 }'),
  /3 holders are required, and the keys have only 2/,
);
test('a count of zero is refused', wrong, policyText('signedBy: { roles: [ops], count: 0 }'), /signedBy\.count/);
test('no roles are refused', wrong, policyText('signedBy: { roles: [] }'), /must name a role/);
test(
  'a key twice is refused, because it could sign for two',
  wrong,
  policyText('deny: closed', `${keyText}  - { name: carol, publicKey: "${lines.bob} carol", roles: [ops] }\n`),
  /keys\[4\]\.publicKey: carol has a key that is in the list already/,
);
test('a key without roles is refused', wrong, oneKey(`name: a, publicKey: "${lines.ci}"`), /keys\[0\]\.roles/);
test('a text that is not a key is refused', wrong, oneKey('name: a, publicKey: x, roles: [a]'), /publicKey: must be a/);
test(
  'a time of a key that is not one is refused',
  wrong,
  oneKey(`name: a, publicKey: "${lines.ci}", roles: [a], notAfter: tomorrow`),
  /notAfter: must be a time in UTC/,
);
test(
  'a key that ends before it begins is refused',
  wrong,
  oneKey(
    `name: a, publicKey: "${lines.ci}", roles: [a], notBefore: '2026-01-02T00:00:00Z', notAfter: '2026-01-01T00:00:00Z'`,
  ),
  /must be after notBefore/,
);
test(
  'signatures of a rule that denies are refused',
  wrong,
  policyText('deny: closed, signedBy: { roles: [ops] }'),
  /effect/,
);

test('a policy with keys opens sealed values only for commands that must be signed', async (t) => {
  const sealed = [{ sealedValues: [{}] }, { sealedCredentials: {} }];
  const run = (text: string, changes: Partial<PolicyScope>) =>
    decide(readPolicy(text), { ...scope, ...changes }, { begins: new Date(noon) }, at(noon));
  for (const payload of sealed) {
    for (const type of ['install_release', 'template_release']) {
      const error = t.throws(() => run(policyText('kinds: ["*"]'), { type, payload }), { code: 'signature_required' });
      t.regex(error.message, /^rule production of the policy requires no signature, but a policy with keys/);
    }
    const unruled = `${keyText}rules: []\ndefault: allow\n`;
    t.throws(() => run(unruled, { payload }), { code: 'signature_required', message: /^the default of the policy/ });
    t.throws(() => run(policyText('deny: never'), { payload }), { code: 'denied_by_policy' });
    const rule = 'signedBy: { roles: [deploy] }';
    t.throws(() => run(policyText(rule), { payload }), { code: 'signature_required' });
    t.is(run(policyText(rule), { payload, packet: await signed(ci) }).rule, 'production');
    t.is(run(policyText('kinds: ["*"]', ''), { payload }).rule, 'production');
    t.is(run(policyText('kinds: ["*"]'), { payload, packet: 'unsent' }).rule, 'production');
  }
});
