import { createPublicKey, verify } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { AgentKey, type AgentKeyOptions } from '../../../src/agent/key/agent-key.ts';
import { type Challenge, type Proof, proofText } from '../../../src/protocol/proof.ts';
import { recordingLog } from '../support/log.ts';
import { memoryKeyStore } from '../support/memory-key.ts';

const challenge = (audience = 'plane', nonce = 'A'.repeat(43)): Challenge => ({ audience, nonce });
const token = `hae_${'t'.repeat(43)}`;
const day = 24 * 3_600_000;

function world(options: Partial<AgentKeyOptions> = {}) {
  const clock = { now: Date.UTC(2026, 0, 2) };
  const { log, lines } = recordingLog();
  const given = { token: token as string | undefined };
  const store = memoryKeyStore();
  const process = () =>
    new AgentKey({
      ...{ agentId: 'edge-1', store, log, rotateAfterMs: 30 * day, now: () => new Date(clock.now) },
      readToken: () => Promise.resolve(given.token),
      clusterUid: () => Promise.resolve('c1'),
      ...options,
    });
  /** Proves the key, and says that it was accepted. */
  const enrol = async () => {
    const prover = process().prover();
    const proof = await prover.answer(challenge());
    await prover.proved();
    return proof;
  };
  return { clock, store, process, enrol, given, lines };
}

function isSigned(proof: Proof, given: Challenge): boolean {
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: proof.key }, format: 'jwk' });
  return verify(null, proofText(given, proof), key, Buffer.from(proof.signature, 'base64url'));
}

test('a new agent stores its key before it uses it, and enrols it with its token', async (t) => {
  const { store, enrol, process, given, lines } = world();
  const proof = await enrol();
  t.true(isSigned(proof, challenge()));
  t.is(store.state?.key.x, proof.key);
  t.is(proof.enrolmentToken, token);
  t.is(proof.clusterUid, 'c1');
  t.is(proof.secretUid, 's1');
  t.is(store.state?.audience, 'plane');
  given.token = undefined;
  const again = await process().prover().answer(challenge());
  t.is(again.key, proof.key);
  t.is(again.enrolmentToken, undefined);
  t.false(lines.join('').includes(token));
  t.false(lines.join('').includes(store.state?.key.d ?? ''));
  t.false(JSON.stringify(store.state).includes(token));
});

test('a key that cannot be stored is not used', async (t) => {
  const { store, process } = world();
  store.onWrite = () => {
    throw new Error('the disk is full');
  };
  await t.throwsAsync(process().prover().answer(challenge()), { message: 'the disk is full' });
});

test('an agent that was killed before it noted its enrolment sends its token again', async (t) => {
  const { process } = world();
  const first = await process().prover().answer(challenge());
  const second = await process().prover().answer(challenge());
  t.is(second.key, first.key);
  t.is(second.enrolmentToken, token);
});

test('an agent without a token says what to do', async (t) => {
  const { process, given, enrol, store } = world();
  given.token = undefined;
  await t.throwsAsync(process().prover().answer(challenge()), { message: /has not enrolled.*ctl enrol/ });
  t.is(store.state, undefined, 'no key is made in vain');
  given.token = token;
  await enrol();
  await t.throwsAsync(process().prover().answer(challenge('other')), { message: /this is another control plane than/ });
});

test('a new token enrols an agent again, also at another control plane', async (t) => {
  const { process, given, enrol, store } = world();
  await enrol();
  given.token = 'hae_other';
  const prover = process().prover();
  const proof = await prover.answer(challenge('other'));
  t.is(proof.enrolmentToken, 'hae_other');
  await prover.proved();
  t.is(store.state?.audience, 'other');
});

test('replicas that start at the same time agree on one key', async (t) => {
  const { process, store } = world();
  const proofs = await Promise.all(Array.from({ length: 8 }, () => process().prover().answer(challenge())));
  t.deepEqual([...new Set(proofs.map(({ key }) => key))], [store.state?.key.x]);
});

test('a key that is old enough is announced, then promoted, then proved', async (t) => {
  const { process, clock, enrol, store } = world();
  const { key: old } = await enrol();
  clock.now += 30 * day - 1;
  t.is((await process().prover().answer(challenge())).nextKey, undefined);
  t.is(process().dueInMs, 30 * day, 'not known before it was read');
  clock.now += 1;
  const prover = process().prover();
  const announcing = await prover.answer(challenge());
  t.is(announcing.key, old);
  t.is(store.state?.nextKey?.x, announcing.nextKey);
  t.true(isSigned(announcing, challenge()));
  const second = challenge('plane', 'B'.repeat(43));
  const proving = await prover.answer(second);
  t.is(announcing.nextKey, proving.key);
  t.is(proving.nextKey, undefined);
  t.true(isSigned(proving, second));
  t.is(store.state?.key.x, proving.key, 'it is stored before it is used');
  t.is(store.state?.nextKey, undefined);
  t.is((await process().prover().answer(challenge())).nextKey, undefined);
});

test('a key that is to be enrolled is not replaced meanwhile', async (t) => {
  const { process, clock, given, enrol } = world();
  await enrol();
  clock.now += 31 * day;
  given.token = 'hae_other';
  const proof = await process().prover().answer(challenge());
  t.is(proof.nextKey, undefined);
});

/** The control plane's view of a key, in the rules of docs/protocol.md. */
class Plane {
  keys: { key: string; nextKey: string | undefined } | undefined;

  /** Returns whether another challenge follows. Throws if the key is refused. */
  judge({ key, nextKey, enrolmentToken }: Proof): boolean {
    const { keys } = this;
    if (!keys || (keys.key !== key && keys.nextKey !== key)) {
      if (enrolmentToken === undefined || keys) throw new Error('refused');
      this.keys = { key, nextKey: undefined };
      return false;
    }
    this.keys = { key, nextKey: nextKey ?? (key === keys.key ? keys.nextKey : undefined) };
    return nextKey !== undefined;
  }
}

class Killed extends Error {}

/** Connects a process that is killed at a step; returns the number of steps if it survives. */
async function connect(agent: AgentKey, plane: Plane, atStep: (step: number) => void): Promise<void> {
  let step = 0;
  const reach = () => atStep(++step);
  const prover = agent.prover();
  for (let isNext = true; isNext;) {
    reach();
    const proof = await prover.answer(challenge());
    reach();
    isNext = plane.judge(proof);
    reach();
  }
  await prover.proved();
  reach();
}

async function survives(t: ExecutionContext, isRotating: boolean): Promise<void> {
  let kills = 0;
  for (let victim = 1; ; victim++) {
    const { store, process, clock, enrol, given } = world();
    const plane = new Plane();
    if (isRotating) {
      plane.judge(await enrol());
      given.token = undefined;
      clock.now += 31 * day;
    }
    let steps = 0;
    const kill = () => {
      if (++steps === victim) throw new Killed();
    };
    store.onWrite = kill;
    store.onWritten = kill;
    const outcome = await connect(process(), plane, kill).then(
      () => 'done',
      (error: unknown) => error,
    );
    store.onWrite = store.onWritten = () => undefined;
    if (outcome !== 'done') t.true(outcome instanceof Killed, String(outcome));
    await t.notThrowsAsync(
      connect(process(), plane, () => undefined),
      `after step ${victim}`,
    );
    await t.notThrowsAsync(connect(process(), plane, () => undefined));
    if (isRotating) t.deepEqual(plane.keys, { key: store.state?.key.x ?? '', nextKey: undefined });
    if (outcome === 'done') break;
    kills++;
  }
  t.true(kills >= (isRotating ? 10 : 6), `${kills} steps`);
}

test('an agent that is killed at any step of its enrolment connects afterwards', survives, false);
test('an agent that is killed at any step of a rotation connects afterwards', survives, true);

test('replicas that rotate at the same time keep a key that the control plane knows', async (t) => {
  const { process, clock, enrol, given } = world();
  const plane = new Plane();
  plane.judge(await enrol());
  given.token = undefined;
  clock.now += 31 * day;
  await Promise.allSettled(Array.from({ length: 5 }, () => connect(process(), plane, () => undefined)));
  await t.notThrowsAsync(connect(process(), plane, () => undefined));
});

test('while the key cannot be read, the last one is proved, and nothing is changed', async (t) => {
  const { process, store, clock, enrol, given } = world();
  const agent = process();
  const { key } = await enrol();
  given.token = undefined;
  await agent.prover().answer(challenge());
  clock.now += 31 * day;
  store.onRead = () => {
    throw new Error('the API server does not respond');
  };
  const proof = await agent.prover().answer(challenge());
  t.is(proof.key, key);
  t.is(proof.nextKey, undefined);
  await t.throwsAsync(process().prover().answer(challenge()), { message: /does not respond/ });
});

test('a damaged key is an error that shows nothing of it', async (t) => {
  const { process, store } = world();
  store.read = () => Promise.reject(new Error('unused'));
  const { parseKeyState } = await import('../../../src/agent/key/key-state.ts');
  const wrong = ['', '{', '{"key":{"d":"sentinel","x":"sentinel","createdAt":1}}', 'null', '[]'];
  for (const text of wrong) {
    const error = t.throws(() => parseKeyState(text, 'the Secret a/b'), { message: /the Secret a\/b has no key/ });
    t.false(error.message.includes('sentinel'));
    t.is(error.cause, undefined);
  }
  await t.throwsAsync(process().prover().answer(challenge()));
});

test('a store that always changes ends the attempt', async (t) => {
  const { process, store } = world();
  store.write = () => Promise.resolve(false);
  await t.throwsAsync(process().prover().answer(challenge()), { message: /is the id used twice/ });
});
