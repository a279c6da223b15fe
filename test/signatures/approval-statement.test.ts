import test from 'ava';
import { type ApprovedPlan, signApproval, verifyApproval } from '../../src/signatures/approval-statement.ts';
import { signCommand } from '../../src/signatures/command-statement.ts';
import { signEnvelope } from '../../src/signatures/envelope.ts';
import { newSigner } from './support/keys.ts';

const alice = newSigner();
const bob = newSigner();
const now = Date.parse('2026-03-04T12:00:00Z');
const hour = 3_600_000;
const digest = (text: string) => text.repeat(64);
const plan: ApprovedPlan = { agentId: 'edge-1', plan: `shop/web@${digest('a')}` };
const at = (time: number) => ({ earliest: time, latest: time + 1000 });
const options = { now, lifetimeMs: hour };
const type = 'application/vnd.helm-agent.approval.v1+json';

test('an approval of several plans is one of each', async (t) => {
  const other = { agentId: 'edge-2', plan: `shop/web@${digest('b')}` };
  const envelope = await signApproval([plan, other], [alice, bob], options);
  for (const one of [plan, other]) {
    const { signers, expiresAt } = verifyApproval(envelope, one, [alice.publicKey, bob.publicKey], at(now));
    t.is(signers.length, 2);
    t.is(expiresAt, now + hour);
  }
});

const refused = test.macro(async (t, asked: ApprovedPlan, time: number | undefined, code: string, message: RegExp) => {
  const envelope = await signApproval([plan], [alice], options);
  t.throws(() => verifyApproval(envelope, asked, [alice.publicKey], time === undefined ? undefined : at(time)), {
    code,
    message,
  });
});

test(
  'an approval for another agent does not count',
  refused,
  { ...plan, agentId: 'edge-2' },
  now,
  'signature_invalid',
  /other agents/,
);
test(
  'an approval for another plan does not count',
  refused,
  { ...plan, plan: `shop/web@${digest('b')}` },
  now,
  'signature_invalid',
  /other plans/,
);
test(
  'the start of a digest is not the digest',
  refused,
  { ...plan, plan: `shop/web@${'a'.repeat(12)}` },
  now,
  'signature_invalid',
  /other plans/,
);
test('an approval expires', refused, plan, now + 2 * hour, 'signature_expired', /has expired/);
test('an approval of the future does not count', refused, plan, now - hour, 'signature_invalid', /still to come/);

test('an approval that counted when the command began counts when it continues', async (t) => {
  const envelope = await signApproval([plan], [alice], options);
  t.is(verifyApproval(envelope, plan, [alice.publicKey], undefined).signers.length, 1);
});

test('a signature of an unknown key has no signers', async (t) => {
  const envelope = await signApproval([plan], [bob], options);
  t.deepEqual(verifyApproval(envelope, plan, [alice.publicKey], at(now)).signers, []);
});

const foreign = test.macro(async (t, content: object | string, payloadType?: string) => {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const envelope = await signEnvelope(payloadType ?? type, text, [alice]);
  t.throws(() => verifyApproval(envelope, plan, [alice.publicKey], at(now)), { code: 'signature_invalid' });
});
const statement = {
  plans: [plan],
  issuedAt: '2026-03-04T12:00:00.000Z',
  expiresAt: '2026-03-04T13:00:00.000Z',
};
test('a signature of another type is no approval', foreign, statement, 'application/vnd.helm-agent.command.v1+json');
test('an approval of no plans is refused', foreign, { ...statement, plans: [] });
test('an approval of too many plans is refused', foreign, {
  ...statement,
  plans: Array.from({ length: 51 }, () => plan),
});
test('an approval of short digests is refused', foreign, {
  ...statement,
  plans: [{ ...plan, plan: `shop/web@${'a'.repeat(12)}` }],
});
test('an approval with more fields is refused', foreign, { ...statement, force: true });
test('an approval that lasts too long is refused', foreign, { ...statement, expiresAt: '2027-03-04T12:00:00.000Z' });
test('an approval that ends first is refused', foreign, { ...statement, expiresAt: statement.issuedAt });
test('an approval that is not JSON is refused', foreign, 'yes');
test('a deep approval is refused', foreign, '['.repeat(5000));

test('a signed command is no approval, and an approval is no signed command', async (t) => {
  const command = { agentId: 'edge-1', key: 'k', type: 'apply_plan', payload: JSON.stringify({ plan: plan.plan }) };
  const envelope = await signCommand(command, [alice], options);
  t.throws(() => verifyApproval(envelope, plan, [alice.publicKey], at(now)), { message: /not that of an approval/ });
});

test('a huge text is refused', (t) => {
  t.throws(() => verifyApproval(' '.repeat(10_000_000), plan, [], at(now)), { message: /more than 24576 characters/ });
});

test('fifty plans of long names fit, and what cannot be approved is not signed', async (t) => {
  const many = Array.from({ length: 50 }, (_, index) => ({
    agentId: `edge-${index}.${'e'.repeat(50)}`,
    plan: `${'n'.repeat(63)}/${'r'.repeat(53)}@${digest('c')}`,
  }));
  await t.notThrowsAsync(signApproval(many, [alice], options));
  await t.throwsAsync(signApproval([...many, plan], [alice], options), { message: /1 to 50 plans/ });
  await t.throwsAsync(signApproval([{ ...plan, plan: 'shop/web@aaaaaaaaaaaa' }], [alice], options), {
    message: /all 64 characters/,
  });
});
