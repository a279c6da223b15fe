import test from 'ava';
import { decide } from '../../src/policy/command-policy.ts';
import { explain } from '../../src/policy/explain.ts';
import { readPolicy } from '../../src/policy/policy-rules.ts';
import type { PolicyScope } from '../../src/policy/policy-scope.ts';
import { signApproval } from '../../src/signatures/approval-statement.ts';
import { signCommand } from '../../src/signatures/command-statement.ts';
import { sshLineOf } from '../../src/signatures/public-key.ts';
import { newSigner } from '../signatures/support/keys.ts';

const ci = newSigner();
const alice = newSigner();
const aliceNext = newSigner();
const bob = newSigner();
const noon = Date.parse('2026-03-04T12:00:00Z');
const hour = 3_600_000;
const agentId = 'edge-1';
const plan = `shop/web@${'a'.repeat(64)}`;

const keys = `keys:
  - { name: ci, publicKey: "${sshLineOf(ci.publicKey)}", roles: [deploy] }
  - { name: alice, publicKey: "${sshLineOf(alice.publicKey)}", roles: [ops, deploy] }
  - { name: alice, publicKey: "${sshLineOf(aliceNext.publicKey)}", roles: [ops] }
  - { name: bob, publicKey: "${sshLineOf(bob.publicKey)}", roles: [ops], notAfter: '2026-03-04T18:00:00Z' }
`;
const policyOf = (rule: string) =>
  readPolicy(
    `${keys}rules:\n  - { name: reading, commands: [read] }\n  - { name: production, ${rule} }\ndefault: deny\n`,
  );
const scopeOf = (type: string, more: Partial<PolicyScope> = {}): PolicyScope => ({
  ...{ type, right: 'deploy', namespace: 'shop', releaseName: 'web', sentBy: 'ci', changes: true },
  ...{ chart: undefined, payload: {}, packet: { agentId, key: 'k', type, payload: '{}', envelope: undefined } },
  ...more,
});
const at = (time: number) => () => ({ earliest: time, latest: time });

const oneApproval = 'approvedBy: { roles: [ops] }';
const fourEyes = 'approvedBy: { roles: [ops], count: 2 }';

interface Case {
  rule?: string;
  /** The keys of each approval. */
  by?: (typeof ci)[][];
  isAnnotated?: boolean;
  time?: number;
  isContinued?: boolean;
  approved?: { agentId: string; plan: string };
  /** Who signs the command. */
  sender?: typeof ci;
}

const required = test.macro(async (t, given: Case, outcome: readonly string[] | RegExp) => {
  const { rule = oneApproval, by = [], time = noon, approved = { agentId, plan }, isAnnotated = false } = given;
  const options = { now: noon, lifetimeMs: hour };
  const envelopes = await Promise.all(by.map((signers) => signApproval([approved], signers, options)));
  const command = { agentId, key: 'k', type: 'apply_plan', payload: '{}' };
  const envelope = given.sender && (await signCommand(command, [given.sender], { now: noon, lifetimeMs: 100 * hour }));
  const scope = scopeOf('apply_plan', { packet: { ...command, envelope } });
  const moment = given.isContinued === true ? 'continued' : { begins: new Date(time) };
  const { approvals } = decide(policyOf(rule), scope, moment, at(time));
  const run = () => approvals?.require(plan, { envelopes, isAnnotated });
  if (!(outcome instanceof RegExp)) return void t.deepEqual(run(), outcome);
  const error = t.throws(run);
  t.is((error as { code?: string }).code, 'approval_required');
  t.regex(error.message, /^rule production of the policy requires /);
  t.regex(error.message, outcome);
});

test('a plan with an approval is performed', required, { by: [[alice]] }, ['alice']);
test('a plan without approvals is refused', required, {}, /an approval with the role ops .*: it has none of them$/);
test('an approval of another role does not count', required, { by: [[ci]] }, /it has none of them$/);
test('an approval of a key outside of the policy does not count', required, { by: [[newSigner()]] }, /not signed by/);
test('an approval expires', required, { by: [[alice]], time: noon + 2 * hour }, /has expired at/);
test('an approval by a key that has ended does not count', required, { by: [[bob]], time: noon + 7 * hour }, /none/);
test('a plan that has begun is continued', required, { by: [[alice]], time: noon + 9 * hour, isContinued: true }, [
  'alice',
]);
test(
  'a plan that has begun is not continued without its key',
  required,
  { by: [[newSigner()]], isContinued: true },
  /not signed by a key of the policy/,
);
test('two holders approve', required, { rule: fourEyes, by: [[alice], [bob]] }, ['alice', 'bob']);
test('two holders approve with one envelope', required, { rule: fourEyes, by: [[alice, bob]] }, ['alice', 'bob']);
test('an approval twice is one', required, { rule: fourEyes, by: [[alice], [alice]] }, /only that of alice$/);
test('two keys of one holder are one', required, { rule: fourEyes, by: [[alice], [aliceNext]] }, /only that of alice/);
test(
  'an approval for another agent does not count',
  required,
  { by: [[alice]], approved: { agentId: 'edge-2', plan } },
  /is for plans of other agents/,
);
test(
  'an approval for another plan does not count',
  required,
  { by: [[alice]], approved: { agentId, plan: `shop/web@${'b'.repeat(64)}` } },
  /is for other plans/,
);
test(
  'the annotation counts if the rule says so',
  required,
  { rule: 'approvedBy: { annotation: true }', isAnnotated: true },
  ['the annotation'],
);
test('the annotation does not count otherwise', required, { isAnnotated: true }, /it has none of them/);
test(
  'the annotation is one more holder',
  required,
  { rule: 'approvedBy: { roles: [ops], count: 2, annotation: true }', by: [[bob]], isAnnotated: true },
  ['bob', 'the annotation'],
);

const signedAndApproved = 'signedBy: { roles: [deploy] }, approvedBy: { roles: [ops] }';
test('one signs and another one approves', required, { rule: signedAndApproved, sender: ci, by: [[alice]] }, ['alice']);
test(
  'who signs the command does not approve its plan, with no key of theirs',
  required,
  { rule: signedAndApproved, sender: alice, by: [[aliceNext]] },
  /who has signed the command cannot approve its plan/,
);

test('a rule with approvals allows changes only by plans', (t) => {
  const policy = policyOf(oneApproval);
  const begins = { begins: new Date(noon) };
  for (const type of [
    'install_release',
    'upgrade_release',
    'rollback_release',
    'uninstall_release',
    'scale_workload',
  ]) {
    t.throws(() => decide(policy, scopeOf(type), begins), { code: 'approval_required', message: /only by plans/ });
  }
  const shell = scopeOf('exec_pod', { right: 'exec', changes: false });
  t.throws(() => decide(policy, shell, begins), { code: 'approval_required' });
  const dryRun = scopeOf('upgrade_release', { changes: false });
  t.notThrows(() => decide(policy, dryRun, begins));
  t.is(decide(policy, scopeOf('plan_release', { right: 'read', changes: false }), begins).rule, 'reading');
});

test('an approval is read with all keys of the policy, by whatever rule', async (t) => {
  const scope = scopeOf('approve_plan', { right: 'read', changes: false });
  const { approvals } = decide(policyOf(oneApproval), scope, { begins: new Date(noon) }, at(noon));
  const envelope = await signApproval([{ agentId, plan }], [ci], { now: noon, lifetimeMs: hour });
  t.is(approvals?.read(plan, envelope).signers[0]?.name, 'ci');
  const foreign = await signApproval([{ agentId, plan }], [newSigner()], { now: noon, lifetimeMs: hour });
  t.throws(() => approvals?.read(plan, foreign), { code: 'signature_required' });
});

test('explain says that a plan is needed', async (t) => {
  const policy = { rules: policyOf(oneApproval), reads: new Map(), evaluator: undefined as never };
  const command = { scope: scopeOf('install_release', { packet: 'unsent' }), begins: new Date(noon), objects: [] };
  const { limits, refusal } = await explain(policy, command);
  t.regex(refusal ?? '', /only by plans/);
  t.like(limits, { length: 1, 0: { field: 'approvedBy' } });
  const planned = { ...command, scope: scopeOf('apply_plan', { packet: 'unsent' }) };
  t.is((await explain(policy, planned)).refusal, undefined);
});

const wrong = test.macro((t, rule: string, message: RegExp) => {
  t.throws(() => policyOf(rule), { message });
});
test('approvals of no one are refused', wrong, 'approvedBy: {}', /must name roles, or have annotation: true/);
test('approvals of a role without keys are refused', wrong, 'approvedBy: { roles: [dev] }', /no key has the role dev/);
test('more approvals than holders are refused', wrong, 'approvedBy: { roles: [ops], count: 3 }', /have only 2/);
test(
  'approvals of a rule that denies are refused',
  wrong,
  'deny: closed, approvedBy: { roles: [ops] }',
  /approvedBy would have no effect/,
);
