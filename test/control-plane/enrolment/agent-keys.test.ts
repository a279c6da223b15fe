import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { type ControlPlaneOptions, createSqliteStore } from '../../../src/control-plane/index.ts';
import { tokensOf } from '../support/credentials.ts';
import { temporaryFile } from '../support/file.ts';
import { keyedSocket, newKey, proofOf, prove, sayHello } from '../support/keyed-agent.ts';
import { testPlane } from '../support/plane.ts';
import { rawAgent } from '../support/raw-agent.ts';

/** A control plane that has invited an agent. */
async function invited(t: ExecutionContext, options: ControlPlaneOptions = {}, agentId = 'edge-1') {
  const world = await testPlane(t, options);
  const { token } = await world.plane.createEnrolment({ agentId });
  return { ...world, token };
}

/** A control plane with an agent that has enrolled and is not connected. */
async function enrolled(t: ExecutionContext, options: ControlPlaneOptions = {}) {
  const world = await invited(t, options);
  const key = newKey();
  const first = await prove(world.agentUrl, key, { enrolmentToken: world.token, clusterUid: 'c1', secretUid: 's1' });
  t.is(first.reply.type, 'proved');
  first.socket.terminate();
  return { ...world, key };
}

test('an agent enrols with its token, and proves its key from then on', async (t) => {
  const { plane, agentUrl, token, lines } = await invited(t);
  const key = newKey();
  const first = await prove(agentUrl, key, { enrolmentToken: token });
  t.is(first.reply.type, 'proved');
  t.is((await sayHello(first)).type, 'welcome');
  t.deepEqual(plane.knownAgents()[0]?.enrolment, { states: ['enrolled'] });
  first.socket.close();
  const again = await prove(agentUrl, key);
  t.is(again.reply.type, 'proved');
  t.is((await sayHello(again)).type, 'welcome');
  t.false(lines.join('').includes(token));
});

test('keys survive a restart of the control plane, and tokens are used up by it', async (t) => {
  const file = await temporaryFile(t);
  const first = await enrolled(t, { store: createSqliteStore(file) });
  await first.plane.close();
  const second = await testPlane(t, { store: createSqliteStore(file) });
  t.is((await prove(second.agentUrl, first.key)).reply.type, 'proved');
  const thief = await prove(second.agentUrl, newKey(), { enrolmentToken: first.token });
  t.is(thief.reply.code, 4402);
});

test('a token that is used at the same time by many gives one of them a key', async (t) => {
  const { plane, agentUrl, token } = await invited(t);
  const replies = await Promise.all(
    Array.from({ length: 30 }, () => prove(agentUrl, newKey(), { enrolmentToken: token })),
  );
  const types = replies.map(({ reply }) => reply.type);
  t.is(types.filter((type) => type === 'proved').length, 1);
  t.is(types.filter((type) => type === 'closed').length, 29);
  t.deepEqual(
    [...plane.knownAgents()].map(({ enrolment }) => enrolment?.states),
    [['enrolled']],
  );
});

test('an agent that did not get the answer enrols again with the same key', async (t) => {
  const { agentUrl, token } = await invited(t);
  const key = newKey();
  const lost = await keyedSocket(agentUrl);
  lost.send('proof', proofOf(lost.challenge, key, { enrolmentToken: token }));
  await lost.next();
  lost.socket.terminate();
  t.is((await prove(agentUrl, key, { enrolmentToken: token })).reply.type, 'proved');
});

test('a key is announced, proved, and then the only one', async (t) => {
  const { agentUrl, key: old } = await enrolled(t);
  const fresh = newKey();
  const agent = await prove(agentUrl, old, { nextKey: fresh.key });
  t.is(agent.reply.type, 'challenge');
  t.not(agent.reply.payload.nonce, agent.challenge.nonce);
  t.is((await prove(agentUrl, old)).reply.type, 'proved', 'both are valid until the new one is proved');
  agent.send('proof', proofOf(agent.reply.payload, fresh));
  t.is((await agent.next()).type, 'proved');
  t.is((await sayHello(agent)).type, 'welcome');
  t.is((await prove(agentUrl, fresh)).reply.type, 'proved');
  t.is((await prove(agentUrl, old)).reply.code, 4402);
});

test('an announced key survives a restart, and a later announcement replaces it', async (t) => {
  const file = await temporaryFile(t);
  const first = await enrolled(t, { store: createSqliteStore(file) });
  const [lost, fresh] = [newKey(), newKey()];
  t.is((await prove(first.agentUrl, first.key, { nextKey: lost.key })).reply.type, 'challenge');
  t.is((await prove(first.agentUrl, first.key, { nextKey: fresh.key })).reply.type, 'challenge');
  await first.plane.close();
  const { agentUrl } = await testPlane(t, { store: createSqliteStore(file) });
  t.is((await prove(agentUrl, lost)).reply.code, 4402);
  t.is((await prove(agentUrl, fresh)).reply.type, 'proved');
  t.is((await prove(agentUrl, first.key)).reply.code, 4402);
});

test('an agent cannot announce one key after the other on a connection', async (t) => {
  const { agentUrl, key } = await enrolled(t);
  const agent = await prove(agentUrl, key, { nextKey: newKey().key });
  agent.send('proof', proofOf(agent.reply.payload, key, { nextKey: newKey().key }));
  t.is((await agent.next()).code, 4400);
});

test('a copy of the cluster is refused, and the original stays connected', async (t) => {
  const { plane, agentUrl, key } = await enrolled(t);
  const original = await prove(agentUrl, key, { clusterUid: 'c1', secretUid: 's1' });
  await sayHello(original);
  const copied = once(plane, 'copy');
  const copy = await prove(agentUrl, key, { clusterUid: 'c2', secretUid: 's1' });
  t.is(copy.reply.code, 4410);
  t.regex(copy.reply.reason ?? '', /another cluster has enrolled this key/);
  t.deepEqual(await copied, ['edge-1']);
  t.is(original.socket.readyState, WebSocket.OPEN);
  t.is(plane.agents().length, 1);
  t.regex(plane.knownAgents()[0]?.enrolment?.problem ?? '', /may be a copy/);
  // a Secret that was restored in its cluster has another uid
  t.is((await prove(agentUrl, key, { clusterUid: 'c1', secretUid: 's2' })).reply.type, 'proved');
  // without the right to read its cluster's uid, the Secret says it
  t.is((await prove(agentUrl, key, { secretUid: 's3' })).reply.code, 4410);
});

test('an agent that needs consent waits, sees nothing and gets no command until it is accepted', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const { token } = await plane.createEnrolment({ agentId: 'edge-1', needsConsent: true });
  const key = newKey();
  const agent = await prove(agentUrl, key, { enrolmentToken: token });
  t.is(agent.reply.type, 'pending');
  t.deepEqual(plane.agents(), []);
  t.deepEqual(
    plane.knownAgents().map(({ enrolment }) => enrolment),
    [{ states: ['pending'] }],
  );
  t.throws(() => plane.install('edge-1', { releaseName: 'web', chartName: 'c' }), { code: 'agent_not_connected' });
  const second = await prove(agentUrl, key);
  t.is(second.reply.type, 'pending');
  second.send('hello', { agentId: 'edge-1' });
  t.is((await second.next()).code, 4400);
  await plane.acceptAgent('edge-1');
  t.is((await agent.next()).type, 'proved');
  t.is((await sayHello(agent)).type, 'welcome');
  await t.throwsAsync(plane.acceptAgent('edge-1'), { code: 'agent_not_found' });
});

test('an agent that waits survives a restart, and is closed when it is revoked', async (t) => {
  const file = await temporaryFile(t);
  const first = await testPlane(t, { store: createSqliteStore(file) });
  const { token } = await first.plane.createEnrolment({ agentId: 'edge-1', needsConsent: true });
  const key = newKey();
  t.is((await prove(first.agentUrl, key, { enrolmentToken: token })).reply.type, 'pending');
  await first.plane.close();
  const { plane, agentUrl } = await testPlane(t, { store: createSqliteStore(file) });
  const agent = await prove(agentUrl, key);
  t.is(agent.reply.type, 'pending');
  await plane.revokeAgent('edge-1');
  t.is((await agent.next()).code, 4401);
  t.is((await prove(agentUrl, key)).reply.code, 4402);
});

test('the key of an agent stays while another one waits for consent, and ends when that is accepted', async (t) => {
  const { plane, agentUrl, key: old } = await enrolled(t);
  const original = await prove(agentUrl, old);
  await sayHello(original);
  const { token, replacesKey } = await plane.createEnrolment({ agentId: 'edge-1', needsConsent: true });
  t.true(replacesKey);
  const fresh = newKey();
  const waiting = await prove(agentUrl, fresh, { enrolmentToken: token });
  t.is(waiting.reply.type, 'pending');
  t.is(original.socket.readyState, WebSocket.OPEN);
  await plane.acceptAgent('edge-1');
  t.is((await original.next()).code, 4401);
  t.is((await waiting.next()).type, 'proved');
});

test('an agent that has lost its key enrols again with its name', async (t) => {
  const { plane, agentUrl, key: old } = await enrolled(t);
  const connected = await prove(agentUrl, old);
  await sayHello(connected);
  const { token } = await plane.createEnrolment({ agentId: 'edge-1' });
  const fresh = newKey();
  t.is((await prove(agentUrl, fresh, { enrolmentToken: token, clusterUid: 'c9' })).reply.type, 'proved');
  t.is((await connected.next()).code, 4401);
  t.is((await prove(agentUrl, old)).reply.code, 4402);
  t.is((await prove(agentUrl, fresh, { clusterUid: 'c9' })).reply.type, 'proved');
});

test('a revoked agent is disconnected within a second, and stays out', async (t) => {
  const { plane, agentUrl, key } = await enrolled(t);
  const agent = await prove(agentUrl, key);
  await sayHello(agent);
  const { token } = await plane.createEnrolment({ agentId: 'edge-1' });
  const start = performance.now();
  await plane.revokeAgent('edge-1');
  t.is((await agent.next()).code, 4401);
  t.true(performance.now() - start < 1000);
  t.is((await prove(agentUrl, key)).reply.code, 4402);
  t.is((await prove(agentUrl, newKey(), { enrolmentToken: token })).reply.code, 4402, 'its token has ended, too');
});

test('an agent that has a key is not let in without it', async (t) => {
  const { plane, agentUrl } = await testPlane(t, { authenticate: tokensOf({ 'edge-1': 'one', 'edge-2': 'two' }) });
  await t.notThrowsAsync(rawAgent(agentUrl, {}, 'one'));
  const { token } = await plane.createEnrolment({ agentId: 'edge-1' });
  await t.notThrowsAsync(rawAgent(agentUrl, {}, 'one'), 'an invitation alone changes nothing');
  t.is((await prove(agentUrl, newKey(), { enrolmentToken: token })).reply.type, 'proved');
  await t.throwsAsync(rawAgent(agentUrl, {}, 'one'), { message: /401/ });
  await t.notThrowsAsync(rawAgent(agentUrl, { agentId: 'edge-2' }, 'two'));

  const open = await enrolled(t);
  const socket = new WebSocket(open.agentUrl, ['helm-agent.v1']);
  await once(socket, 'open');
  const hello = { agentId: 'edge-1', instanceId: 'x', version: '1', capabilities: [], limits: { maxPacketBytes: 1 } };
  socket.send(JSON.stringify({ type: 'hello', payload: JSON.stringify(hello) }));
  t.is((await once(socket, 'close'))[0], 4402);
});

test('the hello of an agent has the id of its key', async (t) => {
  const { agentUrl, key } = await enrolled(t);
  const agent = await prove(agentUrl, key);
  t.is((await sayHello(agent, 'edge-2')).code, 4403);
});
