import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import test, { type ExecutionContext, type Macro } from 'ava';
import { WebSocket } from 'ws';
import type { Challenge, Proof } from '../../../src/protocol/proof.ts';
import { keySubprotocol } from '../../../src/protocol/subprotocol.ts';
import { keyedSocket, newKey, proofOf, prove, type TestKey } from '../support/keyed-agent.ts';
import { testPlane } from '../support/plane.ts';

async function world(t: ExecutionContext) {
  const plane = await testPlane(t, { helloTimeoutMs: 5000 });
  const { token } = await plane.plane.createEnrolment({ agentId: 'edge-1' });
  const key = newKey();
  (await prove(plane.agentUrl, key, { enrolmentToken: token, clusterUid: 'c1' })).socket.terminate();
  return { ...plane, key, token };
}

interface Attack {
  challenge: Challenge;
  /** The key of edge-1. */
  key: TestKey;
  /** Its token, which was used. */
  token: string;
}

/** Sends a proof that is not valid. The connection is closed, and nothing changes. */
const refuses: Macro<[attack: (given: Attack) => unknown, code?: number]> = test.macro({
  title: (name) => `a proof is refused: ${name ?? ''}`,
  async exec(t, attack, code = 4402) {
    const { agentUrl, key, token, plane } = await world(t);
    const { challenge, send, next } = await keyedSocket(agentUrl);
    send('proof', attack({ challenge, key, token }));
    t.is((await next()).code, code);
    t.deepEqual(plane.agents(), []);
    t.is((await prove(agentUrl, key)).reply.type, 'proved', 'the agent is not affected');
  },
});

const changed = (proof: Proof, fields: object) => ({ ...proof, ...fields });

test('a forged signature', refuses, ({ challenge, key }) =>
  changed(proofOf(challenge, key), { signature: proofOf(challenge, newKey()).signature }),
);
test('a signature of zeros', refuses, ({ challenge, key }) =>
  changed(proofOf(challenge, key), { signature: Buffer.alloc(64).toString('base64url') }),
);
test('a key of another agent', refuses, ({ challenge, key }) => proofOf(challenge, key, { agentId: 'edge-2' }));
test('an unknown key', refuses, ({ challenge }) => proofOf(challenge, newKey()));
test('an unknown agent', refuses, ({ challenge }) => proofOf(challenge, newKey(), { agentId: 'stranger' }));
test('a token that was used', refuses, ({ challenge, token }) =>
  proofOf(challenge, newKey(), { enrolmentToken: token }),
);
test('a token of no agent', refuses, ({ challenge }) =>
  proofOf(challenge, newKey(), { enrolmentToken: `hae_${'A'.repeat(43)}` }),
);
test('a nonce of its own', refuses, ({ challenge, key }) =>
  proofOf({ ...challenge, nonce: Buffer.alloc(32).toString('base64url') }, key),
);
test('the challenge of another control plane', refuses, ({ challenge, key }) =>
  proofOf({ ...challenge, audience: 'other' }, key),
);
test('a next key that is not signed', refuses, ({ challenge, key }) =>
  changed(proofOf(challenge, key), { nextKey: newKey().key }),
);
test('a cluster that is not signed', refuses, ({ challenge, key }) =>
  changed(proofOf(challenge, key, { clusterUid: 'c2' }), { clusterUid: 'c1' }),
);
test('a key that is not on the curve', refuses, ({ challenge, key }) =>
  changed(proofOf(challenge, key), { key: Buffer.alloc(32, 0xff).toString('base64url') }),
);
test('the point of small order as the key', refuses, ({ challenge }) => {
  const zero = Buffer.alloc(32);
  zero[0] = 1;
  const signature = Buffer.concat([zero, Buffer.alloc(32)]).toString('base64url');
  return changed(proofOf(challenge, newKey()), { key: zero.toString('base64url'), signature });
});
test('a key of another type', refuses, ({ challenge, key }) => {
  const { publicKey } = generateKeyPairSync('x25519');
  return changed(proofOf(challenge, key), { key: publicKey.export({ format: 'jwk' }).x });
});
test(
  'a key of RSA',
  refuses,
  ({ challenge, key }) => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    return changed(proofOf(challenge, key), { key: publicKey.export({ format: 'jwk' }).n });
  },
  4400,
);
test(
  'a key in another encoding',
  refuses,
  ({ challenge, key }) => {
    const proof = proofOf(challenge, key);
    return changed(proof, { key: Buffer.from(proof.key, 'base64url').toString('hex') });
  },
  4400,
);
test(
  'a key whose unused bits are set',
  refuses,
  ({ challenge, key }) => {
    const proof = proofOf(challenge, key);
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const last = alphabet[alphabet.indexOf(proof.key.at(-1) ?? '') + 1] ?? '';
    return changed(proof, { key: `${proof.key.slice(0, -1)}${last}` });
  },
  4400,
);
test(
  'a truncated signature',
  refuses,
  ({ challenge, key }) => {
    const proof = proofOf(challenge, key);
    return changed(proof, { signature: proof.signature.slice(0, -4) });
  },
  4400,
);
test('no signature', refuses, ({ challenge, key }) => changed(proofOf(challenge, key), { signature: undefined }), 4400);
test(
  'an id with a line break',
  refuses,
  ({ challenge, key }) => proofOf(challenge, key, { agentId: 'edge-1\nkey x' }),
  4400,
);
test(
  'a cluster with a line break',
  refuses,
  ({ challenge, key }) => proofOf(challenge, key, { clusterUid: 'c1\nsecret x' }),
  4400,
);
test('a long cluster', refuses, ({ challenge, key }) => proofOf(challenge, key, { clusterUid: 'c'.repeat(65) }), 4400);
test(
  'a long token',
  refuses,
  ({ challenge, key }) => proofOf(challenge, key, { enrolmentToken: 'x'.repeat(129) }),
  4400,
);
test('null', refuses, () => null, 4400);
test('a list', refuses, () => [], 4400);

test('a proof is not accepted a second time', async (t) => {
  const { agentUrl, key } = await world(t);
  const first = await keyedSocket(agentUrl);
  const proof = proofOf(first.challenge, key);
  first.send('proof', proof);
  t.is((await first.next()).type, 'proved');
  const second = await keyedSocket(agentUrl);
  second.send('proof', proof);
  t.is((await second.next()).code, 4402);
});

test('a proof for another control plane is of no use here, nor the other way round', async (t) => {
  const [here, there] = [await world(t), await testPlane(t)];
  const { token } = await there.plane.createEnrolment({ agentId: 'edge-1' });
  t.is((await prove(there.agentUrl, here.key, { enrolmentToken: token })).reply.type, 'proved');
  // the other control plane passes a challenge on, for which the agent signs as for its own
  const here1 = await keyedSocket(here.agentUrl);
  const there1 = await keyedSocket(there.agentUrl);
  t.not(here1.challenge.audience, there1.challenge.audience);
  here1.send('proof', proofOf({ ...there1.challenge, nonce: here1.challenge.nonce }, here.key));
  t.is((await here1.next()).code, 4402);
});

test('a token that has expired is refused', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const { token } = await plane.createEnrolment({ agentId: 'edge-1', expiresIn: 0.05 });
  await new Promise((resolve) => setTimeout(resolve, 60));
  t.is((await prove(agentUrl, newKey(), { enrolmentToken: token })).reply.code, 4402);
});

test('an agent that is not known gets the same answer as one whose key is wrong', async (t) => {
  const { agentUrl, plane } = await world(t);
  await plane.createEnrolment({ agentId: 'edge-3' });
  const replies = [];
  for (const agentId of ['edge-1', 'stranger', 'edge-3']) {
    const { reply } = await prove(agentUrl, newKey(), { agentId, enrolmentToken: `hae_${'A'.repeat(43)}` });
    replies.push([reply.code, reply.reason]);
    const { reply: without } = await prove(agentUrl, newKey(), { agentId });
    replies.push([without.code, without.reason?.replace(agentId, 'ID')]);
  }
  t.deepEqual(replies.slice(0, 2), replies.slice(2, 4));
  t.deepEqual(replies.slice(0, 2), replies.slice(4, 6));
});

/** Sends frames after the challenge. The connection is closed with a code. */
const violates: Macro<[frames: (socket: WebSocket, challenge: Challenge, key: TestKey) => void, code: number]> =
  test.macro({
    title: (name) => `the connection is closed: ${name ?? ''}`,
    async exec(t, frames, code) {
      const { agentUrl, key, plane } = await world(t);
      const { socket, challenge, next } = await keyedSocket(agentUrl);
      frames(socket, challenge, key);
      let reply = await next();
      if (reply.type === 'proved') reply = await next();
      t.is(reply.code, code);
      t.deepEqual(plane.agents(), []);
    },
  });

const packet = (type: string, payload: unknown) => JSON.stringify({ type, payload: JSON.stringify(payload) });
test('hello without a proof', violates, (socket) => socket.send(packet('hello', { agentId: 'edge-1' })), 4400);
test('a binary frame', violates, (socket) => socket.send(Buffer.alloc(9)), 4400);
test('a text that is no JSON', violates, (socket) => socket.send('{'), 4400);
test(
  'two proofs at once',
  violates,
  (socket, challenge, key) => {
    for (let index = 0; index < 2; index++) socket.send(packet('proof', proofOf(challenge, key)));
  },
  4400,
);
test('a large proof', violates, (socket) => socket.send(packet('proof', { agentId: 'x'.repeat(500_000) })), 1006);
test(
  'many frames',
  violates,
  (socket) => {
    for (let index = 0; index < 10_000; index++) socket.send('x'.repeat(100));
  },
  4400,
);

test('a client that proves nothing in time is disconnected', async (t) => {
  const { agentUrl } = await testPlane(t, { helloTimeoutMs: 50 });
  const { next } = await keyedSocket(agentUrl);
  t.is((await next()).code, 4400);
});

test('a web page cannot prove a key', async (t) => {
  const { agentUrl } = await testPlane(t);
  const socket = new WebSocket(agentUrl, [keySubprotocol], { headers: { origin: 'https://evil.example' } });
  t.regex(String((await once(socket, 'error').catch((error: unknown) => [error]))[0]), /403/);
});

test('a thousand wrong proofs are answered, logged a few times, and keep no agent out', async (t) => {
  const { agentUrl, key, lines, plane } = await world(t);
  const before = lines.length;
  for (let round = 0; round < 20; round++) {
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        prove(agentUrl, newKey(), { agentId: `edge-${index}`, enrolmentToken: `hae_${'A'.repeat(43)}` }),
      ),
    );
    for (const { reply } of replies) t.is(reply.code, 4402);
  }
  t.true(lines.length - before < 40, `${lines.length - before} lines`);
  t.is((await prove(agentUrl, key)).reply.type, 'proved');
  t.deepEqual(
    plane.knownAgents().map(({ agentId }) => agentId),
    ['edge-1'],
  );
});
