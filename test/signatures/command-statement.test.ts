import { performance } from 'node:perf_hooks';
import test from 'ava';
import {
  type CommandPacket,
  commandPayloadType,
  signCommand,
  verifyCommand,
} from '../../src/signatures/command-statement.ts';
import { signEnvelope } from '../../src/signatures/envelope.ts';
import { SignatureError } from '../../src/signatures/signature-error.ts';
import { digestOf, maxLifetimeMs } from '../../src/signatures/statement.ts';
import { newSigner } from './support/keys.ts';

const signer = newSigner();
const keys = [signer.publicKey];
const now = Date.parse('2026-03-04T12:00:00Z');
const at = (time: number) => ({ earliest: time, latest: time + 1000 });
const packet = { agentId: 'edge-1', key: 'k1', type: 'install_release', payload: '{"releaseName":"web"}' };
const hour = 3_600_000;
const signed = (lifetimeMs = hour) => signCommand(packet, [signer], { now, lifetimeMs });

test('a signed command is verified', async (t) => {
  const { signers, issuedAt, expiresAt } = verifyCommand(await signed(), packet, keys, at(now + 1));
  t.deepEqual({ signers, issuedAt, expiresAt }, { signers: keys, issuedAt: now, expiresAt: now + hour });
});

test('a signature lasts at most as long as a command can wait', async (t) => {
  t.is(verifyCommand(await signed(1e12), packet, keys, at(now)).expiresAt, now + maxLifetimeMs);
});

const refused = test.macro(async (t, changes: Partial<CommandPacket>, message: RegExp) => {
  const text = await signed();
  const error = t.throws(() => verifyCommand(text, { ...packet, ...changes }, keys, at(now)), {
    instanceOf: SignatureError,
  });
  t.is(error.code, 'signature_invalid');
  t.regex(error.message, message);
});

test('a command for another agent is refused', refused, { agentId: 'edge-2' }, /signed for another agent/);
test('a command with another key is refused', refused, { key: 'k2' }, /signed for another key/);
test('a command without a key is refused', refused, { key: undefined }, /signed for another key/);
test('a command of another type is refused', refused, { type: 'uninstall_release' }, /for another type/);
test('a changed payload is refused', refused, { payload: '{"releaseName":"web" }' }, /for another payload/);
test('an empty payload is another one', refused, { payload: '' }, /for another payload/);

const timed = test.macro(async (t, time: number, code?: SignatureError['code']) => {
  const text = await signed();
  const verify = () => verifyCommand(text, packet, keys, at(time));
  if (code === undefined) t.notThrows(verify);
  else t.is(t.throws(verify, { instanceOf: SignatureError }).code, code);
});

test('a signature is valid until it expires', timed, now + hour);
test('clocks may differ a little at the end', timed, now + hour + 50_000);
test('a signature expires', timed, now + hour + 70_000, 'signature_expired');
test('clocks may differ a little at the beginning', timed, now - 50_000);
test('a signature of the future is refused', timed, now - 70_000, 'signature_invalid');

test('a command that was accepted in time stays valid', async (t) => {
  t.is(verifyCommand(await signed(), packet, keys, undefined).signers.length, 1);
});

const statement = {
  ...packet,
  payload: digestOf(packet.payload),
  issuedAt: '2026-03-04T12:00:00.000Z',
  expiresAt: '2026-03-04T13:00:00.000Z',
};
const foreign = test.macro(async (t, content: object | string, type: string = commandPayloadType) => {
  const text = await signEnvelope(type, typeof content === 'string' ? content : JSON.stringify(content), [signer]);
  const error = t.throws(() => verifyCommand(text, packet, keys, at(now)), { instanceOf: SignatureError });
  t.is(error.code, 'signature_invalid');
  t.true(error.message.length < 300);
});

test('a signature of another type is refused', foreign, statement, 'application/vnd.helm-agent.result.v1+json');
test('a statement with more fields is refused', foreign, { ...statement, dryRun: true });
test('a statement without an agent is refused', foreign, { ...statement, agentId: undefined });
test('a statement without an expiry is refused', foreign, { ...statement, expiresAt: undefined });
test('a statement with a local time is refused', foreign, { ...statement, issuedAt: '2026-03-04T12:00:00' });
test('a statement that lasts too long is refused', foreign, { ...statement, expiresAt: '2027-03-04T12:00:00.000Z' });
test('a statement that ends first is refused', foreign, { ...statement, expiresAt: statement.issuedAt });
test('a statement that is not JSON is refused', foreign, 'no');
test('a deep statement is refused', foreign, '['.repeat(2000));
test('a list is not a statement', foreign, []);

test('a signature of an unknown key has no signers', async (t) => {
  t.deepEqual(verifyCommand(await signed(), packet, [newSigner().publicKey], at(now)).signers, []);
});

test('signing and verifying take about a millisecond at most', async (t) => {
  const rounds = 200;
  const best = { sign: Infinity, verify: Infinity };
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    const text = await signed();
    const middle = performance.now();
    verifyCommand(text, packet, keys, at(now));
    best.sign = Math.min(best.sign, middle - start);
    best.verify = Math.min(best.verify, performance.now() - middle);
  }
  t.log(best);
  t.true(best.sign < 1 && best.verify < 1);
});
