import test from 'ava';
import { Router } from '../../../src/agent/router/router.ts';
import type { Journal } from '../../../src/journal/journal.ts';
import { createMemoryJournal } from '../../../src/journal/memory.ts';
import { decide } from '../../../src/policy/command-policy.ts';
import { PolicyError } from '../../../src/policy/policy-error.ts';
import { readPolicy } from '../../../src/policy/policy-rules.ts';
import type { WireForm } from '../../../src/protocol/subprotocol.ts';
import { signCommand } from '../../../src/signatures/command-statement.ts';
import { sshLineOf } from '../../../src/signatures/public-key.ts';
import { memorySignatureStore, UsedSignatures } from '../../../src/signatures/used-signatures.ts';
import { newSigner } from '../../signatures/support/keys.ts';
import { type Call, PuppetHandlers } from '../support/handlers.ts';
import { recordingLog } from '../support/log.ts';
import { RecordingPeer } from '../support/peer.ts';

const signer = newSigner();
const hour = 3_600_000;

const policyOf = (key = signer) =>
  readPolicy(`keys:
  - { name: ci, publicKey: "${sshLineOf(key.publicKey)}", roles: [deploy] }
rules:
  - { name: all, signedBy: { roles: [deploy] } }
default: deny
`);

interface Given {
  journal?: Journal;
  rules?: ReturnType<typeof policyOf>;
  store?: ReturnType<typeof memorySignatureStore>;
  clock?: { now: number };
  onDecide?: () => void;
}

function signedRouter({
  journal = createMemoryJournal(),
  rules = policyOf(),
  store,
  clock = { now: 0 },
  onDecide,
}: Given = {}) {
  const puppets = new PuppetHandlers();
  const current = { rules };
  const { log, lines } = recordingLog();
  const time = () => ({ earliest: clock.now, latest: clock.now });
  const router = new Router({
    ...{ handlers: puppets.handlers, journal, log, instanceId: 'i', agentId: 'edge-1' },
    now: () => new Date(clock.now),
    allowedRights: ['read', 'deploy', 'admin', 'act'],
    usedSignatures: new UsedSignatures(store ?? memorySignatureStore(), () => clock.now),
    policy: {
      decide: async (scope, when) => {
        onDecide?.();
        const moment = when === 'continued' ? when : { begins: new Date(clock.now), isAccepted: when === 'again' };
        return await Promise.resolve().then(() => decide(current.rules, scope, moment, time));
      },
    },
  });
  const send = (packet: object, form: WireForm = 'v1') => {
    const peer = new RecordingPeer(form);
    router.receive(Buffer.from(JSON.stringify(packet)), false, peer);
    return peer;
  };
  return { router, puppets, send, lines, current };
}

async function packetOf(key: string, issuedAt: number, type = 'install_release', fields: object = { chartName: 'c' }) {
  const payload = JSON.stringify({ releaseName: 'web', namespace: 'shop', ...fields });
  const packet = { key, type, payload };
  const options = { now: issuedAt, lifetimeMs: hour };
  return { ...packet, envelope: await signCommand({ agentId: 'edge-1', ...packet }, [signer], options) };
}

const codeOf = async (peer: RecordingPeer, key: string) => (await peer.result(key)).error?.code;

test('a command that the journal has forgotten is not performed again', async (t) => {
  const journal = createMemoryJournal({ maxFinished: 0, maxOutcomeLength: 0 });
  const { puppets, send } = signedRouter({ journal });
  const packet = await packetOf('a', 0);
  const first = send(packet);
  (await puppets.call(0)).succeed();
  t.true((await first.result('a')).ok);
  t.is(await codeOf(send(packet), 'a'), 'signature_replayed');
  t.is(puppets.calls.length, 1);
});

test('a command that the journal knows gets its result again, also when its signature has expired', async (t) => {
  const clock = { now: 0 };
  const { puppets, send } = signedRouter({ clock });
  const packet = await packetOf('a', 0);
  send(packet);
  (await puppets.call(0)).succeed();
  await send(packet).result('a');
  clock.now = 3 * hour;
  t.true((await send(packet).result('a')).ok);
  t.is(puppets.calls.length, 1);
});

test('a newer command on the release makes an older one worthless, whether it was sent or not', async (t) => {
  const { puppets, send } = signedRouter();
  const [older, newer] = [await packetOf('a', 0, 'uninstall_release'), await packetOf('b', 1)];
  const first = send(newer);
  (await puppets.call(0)).succeed();
  t.true((await first.result('b')).ok);
  const refused = send(older);
  t.is(await codeOf(refused, 'a'), 'signature_replayed');
  t.deepEqual(refused.kinds('a'), ['result'], 'it is not accepted');
  t.is(puppets.calls.length, 1);
});

test('a signed command in the plain form is performed once', async (t) => {
  const { puppets, send } = signedRouter();
  const packet = await packetOf('a', 0);
  const first = send(packet, 'plain');
  (await puppets.call(0)).succeed();
  await first.result('a');
  const second = send(packet, 'plain');
  await second.result('a');
  t.is(puppets.calls.length, 1);
});

test('a command without a key is refused, because a signature has one', async (t) => {
  const { puppets, send } = signedRouter();
  const { type, payload, envelope } = await packetOf('a', 0);
  const peer = send({ type, payload, envelope }, 'plain');
  t.like(await peer.result(undefined), { ok: false, error: { code: 'signature_invalid' } });
  t.is(puppets.calls.length, 0);
});

test('commands that only read can be repeated, and overtake each other', async (t) => {
  const journal = createMemoryJournal({ maxFinished: 0, maxOutcomeLength: 0 });
  const { puppets, send } = signedRouter({ journal });
  const packets = [await packetOf('b', 1, 'get_release'), await packetOf('a', 0, 'get_release')];
  for (const [index, packet] of [...packets, ...packets].entries()) {
    const peer = send(packet);
    (await puppets.call(index)).succeed();
    t.true((await peer.result(packet.key)).ok);
  }
});

async function leftBehind(journal: Journal, store = memorySignatureStore()) {
  const { router, puppets, send } = signedRouter({ journal, store });
  send(await packetOf('a', 0));
  const call = await puppets.call(0);
  call.context.abandon.addEventListener('abort', () => call.fail(call.context.abandon.reason));
  await router.close(60_000);
}

test('a command of an earlier process is continued with its signature, also when that has expired', async (t) => {
  const journal: Journal = { ...createMemoryJournal(), durable: true };
  const store = memorySignatureStore();
  await leftBehind(journal, store);
  const { router, puppets, send } = signedRouter({ journal, store, clock: { now: 3 * hour } });
  await router.resume();
  const peer = send({ type: 'unfinished', payload: '{"keys":["a"]}' });
  (await puppets.call(0)).succeed();
  t.true((await peer.result('a')).ok);
});

test('a command of an earlier process is not continued without the key that has signed it', async (t) => {
  const journal: Journal = { ...createMemoryJournal(), durable: true };
  await leftBehind(journal);
  const { router, puppets, send } = signedRouter({ journal, rules: policyOf(newSigner()) });
  await router.resume();
  const peer = send({ type: 'unfinished', payload: '{"keys":["a"]}' });
  t.is(await codeOf(peer, 'a'), 'signature_required');
  t.is(puppets.calls.length, 0);
});

test('the policy decides once about a command that begins at once, and again about one that has waited', async (t) => {
  let decisions = 0;
  const { puppets, send } = signedRouter({ onDecide: () => (decisions += 1) });
  const first = send(await packetOf('a', 0));
  const call = await puppets.call(0);
  t.is(decisions, 1);
  const second = send(await packetOf('b', 1, 'upgrade_release'));
  await second.received('b', 'status');
  t.is(decisions, 2);
  call.succeed();
  (await puppets.call(1)).succeed();
  await Promise.all([first.result('a'), second.result('b')]);
  t.is(decisions, 3);
});

test('the policy decides again if a command begins a second after the decision', async (t) => {
  for (const [delay, expected] of [
    [999, 1],
    [1000, 2],
    [-1, 2],
  ] as const) {
    const clock = { now: 5000 };
    let decisions = 0;
    const onDecide = () => {
      if (decisions === 0) clock.now += delay;
      decisions += 1;
    };
    const { puppets, send } = signedRouter({ clock, onDecide });
    const peer = send(await packetOf('a', 0));
    (await puppets.call(0)).succeed();
    await peer.result('a');
    t.is(decisions, expected, `${delay} ms`);
  }
});

test('the policy decides again about each change of a command that follows a release', async (t) => {
  const clock = { now: 0 };
  const { puppets, send, current } = signedRouter({ clock });
  const peer = send(await packetOf('a', 0, 'correct_release', { watch: true }));
  const call = await puppets.call(0);
  const turn = { release: 'shop/web', reason: 'drift', isOneOfMany: true, signal: new AbortController().signal };
  const change = () => call.context.takeTurn(turn, (policy) => Promise.resolve(policy?.rule));
  t.is(await change(), 'all');
  clock.now = 2 * hour;
  t.is(await change(), 'all', 'its signature was valid when it began');
  const { keys, ...rules } = current.rules;
  const refusals = {
    'the policy is paused: audit': { ...rules, keys, paused: 'audit' },
    'no rule of the policy is for correct_release': { ...rules, keys, rules: [] },
    'windows: ': { ...rules, keys, rules: rules.rules.map((rule) => ({ ...rule, windows: [() => false] })) },
    'has signed the command with a key': { ...rules, keys: [] },
  };
  for (const [message, changed] of Object.entries(refusals)) {
    current.rules = changed;
    const error = await t.throwsAsync(change);
    t.true(error.message.includes(message), error.message);
  }
  current.rules = { ...rules, keys };
  t.is(await change(), 'all', 'and continues');
  call.succeed();
  await peer.result('a');
});

/** Begins a command whose changes take turns, which another process can continue. */
async function continuedInTurn(type: string, fields: object) {
  const all = readPolicy('rules: [{ name: all }]\ndefault: deny\n');
  const window = { isOpen: true };
  const file = { isWrong: false };
  const given = {
    journal: { ...createMemoryJournal(), durable: true },
    rules: { ...all, rules: all.rules.map((rule) => ({ ...rule, windows: [() => window.isOpen] })) },
    onDecide: () => {
      if (file.isWrong) throw new PolicyError('policy_invalid', 'the policy file cannot be used');
    },
  };
  const turnsOf =
    ({ context }: Call) =>
    (isOneOfMany: boolean, signal = new AbortController().signal) =>
      context.takeTurn({ release: 'shop/web', reason: 'change', isOneOfMany, signal }, (policy) =>
        Promise.resolve(policy?.rule),
      );
  const first = signedRouter(given);
  first.send({ key: 'a', type, payload: JSON.stringify({ namespace: 'shop', ...fields }) });
  const call = await first.puppets.call(0);
  call.context.abandon.addEventListener('abort', () => call.fail(call.context.abandon.reason));
  const begun = turnsOf(call);
  const close = () => first.router.close(60_000);
  const resume = async () => {
    const second = signedRouter(given);
    await second.router.resume();
    return turnsOf(await second.puppets.call(0));
  };
  return { window, file, begun, close, resume };
}

test('a change of an object of a release that has begun is continued outside of the windows', async (t) => {
  const { window, begun, close, resume } = await continuedInTurn('restart_workload', { kind: 'deploy', name: 'web' });
  t.is(await begun(false), 'all');
  window.isOpen = false;
  await t.throwsAsync(begun(false), { code: 'denied_by_policy' }, 'without a restart, each turn is its beginning');
  await close();
  const continued = await resume();
  t.is(await continued(false), 'all');
});

test('a change of an object of a release that has begun waits for a policy that is correct', async (t) => {
  const { file, begun, close, resume } = await continuedInTurn('restart_workload', { kind: 'deploy', name: 'web' });
  await close();
  const continued = await resume();
  file.isWrong = true;
  await t.throwsAsync(begun(false), { code: 'policy_invalid' }, 'a new one does not');
  const limit = new AbortController();
  const late = continued(false, limit.signal);
  limit.abort(new Error('late'));
  await t.throwsAsync(late, { code: 'policy_invalid' });
  const waiting = continued(false);
  setTimeout(() => (file.isWrong = false), 100);
  t.is(await waiting, 'all');
});

test('windows hold for new changes of a command that follows a release, also when it is continued', async (t) => {
  const { window, file, begun, close, resume } = await continuedInTurn('correct_release', {
    releaseName: 'web',
    watch: true,
  });
  t.is(await begun(true), 'all');
  await close();
  const continued = await resume();
  window.isOpen = false;
  await t.throwsAsync(continued(true), { code: 'denied_by_policy' });
  window.isOpen = true;
  file.isWrong = true;
  await t.throwsAsync(continued(true), { code: 'policy_invalid' }, 'it does not wait in its turn');
  file.isWrong = false;
  t.is(await continued(true), 'all');
});
