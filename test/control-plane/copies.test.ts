import { once } from 'node:events';
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import type { AuditEntry } from '../../src/control-plane/audit/audit-entry.ts';
import type { ControlPlaneOptions } from '../../src/control-plane/index.ts';
import type { Hello } from '../../src/protocol/messages.ts';
import { eventually } from '../support/eventually.ts';
import { tokensOf } from './support/credentials.ts';
import { newKey, prove, sayHello } from './support/keyed-agent.ts';
import { testPlane } from './support/plane.ts';
import { rawAgent } from './support/raw-agent.ts';

const elected = { elected: true };

/** A control plane with the key of an agent, all of whose processes show the same cluster. */
async function enrolled(t: ExecutionContext, options: ControlPlaneOptions = {}) {
  const entries: AuditEntry[] = [];
  const world = await testPlane(t, { takeoverMs: 300, audit: (entry) => entries.push(entry), ...options });
  const { token } = await world.plane.createEnrolment({ agentId: 'edge-1' });
  const key = newKey();
  const uids = { clusterUid: 'c1', secretUid: 's1' };
  (await prove(world.agentUrl, key, { ...uids, enrolmentToken: token })).socket.terminate();
  const connect = () => prove(world.agentUrl, key, uids);
  return { ...world, connect, entries };
}

/** Connects a process, and returns its socket with the reply to its `hello`. */
async function process(
  connect: Awaited<ReturnType<typeof enrolled>>['connect'],
  instanceId: string,
  fields?: Partial<Hello>,
) {
  const keyed = await connect();
  return { ...keyed, reply: await sayHello(keyed, 'edge-1', instanceId, fields) };
}

test('a second process beside one that works alone is refused as a copy, and the first one stays', async (t) => {
  const { plane, connect, entries, lines } = await enrolled(t);
  const original = await process(connect, 'a', elected);
  const copied = once(plane, 'copy');
  const copy = await process(connect, 'b', elected);
  t.is(copy.reply.code, 4410);
  t.regex(copy.reply.reason ?? '', /another process of this agent works/);
  t.deepEqual(await copied, ['edge-1']);
  t.is(original.socket.readyState, WebSocket.OPEN);
  t.is(plane.agents()[0]?.instanceId, 'a');
  t.regex(plane.knownAgents()[0]?.copyRefusedAt ?? '', /^\d{4}-\d\d-\d\dT/);
  await eventually('an entry says it', () => entries.some(({ outcome }) => outcome === 'copied'));
  t.like(
    entries.find(({ outcome }) => outcome === 'copied'),
    { action: 'agent refused', agentId: 'edge-1' },
  );
  t.true(lines.join('').includes('it may be of a copy of the cluster'));
});

test('a copy that does not say that it works alone is refused as well', async (t) => {
  const { connect } = await enrolled(t);
  await process(connect, 'a', elected);
  t.is((await process(connect, 'b')).reply.code, 4410);
});

test('the next process takes over as soon as the one before has gone, with what it has sent meanwhile', async (t) => {
  const { plane, connect } = await enrolled(t, { takeoverMs: 60_000 });
  const old = await process(connect, 'a', elected);
  const asked = once(old.socket, 'ping');
  const next = await connect();
  const greeted = sayHello(next, 'edge-1', 'b', { ...elected, packets: ['health'] });
  next.send('health', { cluster: { reachable: false, since: '2026-01-01T00:00:00Z' } });
  await asked;
  t.is(plane.agents()[0]?.instanceId, 'a');
  old.socket.terminate();
  t.is((await greeted).type, 'welcome');
  await eventually('it is known', () => plane.agents()[0]?.cluster?.reachable === false);
  t.is(plane.agents()[0]?.instanceId, 'b');
  t.is(plane.knownAgents()[0]?.copyRefusedAt, undefined);
});

test('a process takes over from one that does not respond, although its connection is open', async (t) => {
  const { plane, connect } = await enrolled(t);
  const hung = await process(connect, 'a', elected);
  hung.socket.pause();
  t.is((await process(connect, 'b', elected)).reply.type, 'welcome');
  t.is(plane.agents()[0]?.instanceId, 'b');
});

test('the same process in another term, and on another connection, is no copy', async (t) => {
  const { connect } = await enrolled(t, { takeoverMs: 60_000 });
  const fields = { ...elected, processId: 'p' };
  await process(connect, 'a', fields);
  t.is((await process(connect, 'a', fields)).reply.type, 'welcome');
  t.is((await process(connect, 'b', fields)).reply.type, 'welcome');
});

test('many copies at the same time cost the one that works two pings', async (t) => {
  const { connect, plane } = await enrolled(t);
  const original = await process(connect, 'a', elected);
  let pings = 0;
  original.socket.on('ping', () => pings++);
  const copies = await Promise.all(Array.from({ length: 20 }, () => connect()));
  const replies = await Promise.all(copies.map((copy, index) => sayHello(copy, 'edge-1', `copy-${index}`)));
  t.deepEqual(
    replies.map(({ code }) => code),
    replies.map(() => 4410),
  );
  t.true(pings <= 2, `${pings} pings`);
  t.is(plane.agents()[0]?.instanceId, 'a');
});

test('of two processes that wait for the same end, one takes over and the other one is refused', async (t) => {
  const { connect } = await enrolled(t);
  const old = await process(connect, 'a', elected);
  const asked = once(old.socket, 'ping');
  const greetings = ['b', 'c'].map(async (id) => await process(connect, id, elected));
  await asked;
  old.socket.terminate();
  const replies = await Promise.all(greetings);
  t.deepEqual(replies.map(({ reply }) => reply.code ?? reply.type).sort(), [4410, 'welcome']);
});

test('without leader election, a process that was replaced and comes back is refused', async (t) => {
  const { plane, connect } = await enrolled(t);
  const first = await process(connect, 'a');
  const second = await process(connect, 'b');
  t.is(second.reply.type, 'welcome');
  t.is((await first.next()).code, 4409);
  t.is((await process(connect, 'a')).reply.code, 4410);
  t.is(second.socket.readyState, WebSocket.OPEN);
  second.socket.terminate();
  await eventually('it has gone', () => plane.agents().length === 0);
  t.is((await process(connect, 'a')).reply.type, 'welcome');
});

test('copies with the token of an agents file are refused, too', async (t) => {
  const { plane, agentUrl } = await testPlane(t, { takeoverMs: 300, authenticate: tokensOf({ 'edge-1': 'one' }) });
  await rawAgent(agentUrl, elected, 'one');
  const copied = once(plane, 'copy');
  const copy = new WebSocket(agentUrl, ['helm-agent.v1'], { headers: { authorization: 'Bearer one' } });
  await once(copy, 'open');
  const payload = { agentId: 'edge-1', instanceId: 'b', version: '1', capabilities: [], limits: { maxPacketBytes: 1 } };
  copy.send(JSON.stringify({ type: 'hello', payload: JSON.stringify(payload) }));
  t.is((await once(copy, 'close'))[0], 4410);
  await copied;
});

test('a process whose key is revoked while it waits does not take over', async (t) => {
  const { plane, connect } = await enrolled(t, { takeoverMs: 60_000 });
  const old = await process(connect, 'a', elected);
  const asked = once(old.socket, 'ping');
  const waiting = process(connect, 'b', elected);
  await asked;
  await plane.revokeAgent('edge-1');
  t.is((await waiting).reply.code, 4401);
  await eventually('both have gone', () => plane.agents().length === 0);
});

test('a control plane that stops lets go of those that wait', async (t) => {
  const { plane, connect } = await enrolled(t, { takeoverMs: 60_000 });
  const old = await process(connect, 'a', elected);
  const asked = once(old.socket, 'ping');
  const waiting = process(connect, 'b', elected);
  await asked;
  await plane.close();
  t.is((await waiting).reply.code, 1001);
});

test('enrolling again ends the copy, and what is said about it', async (t) => {
  const { plane, agentUrl, connect } = await enrolled(t);
  await process(connect, 'a', elected);
  t.is((await process(connect, 'b', elected)).reply.code, 4410);
  const { token } = await plane.createEnrolment({ agentId: 'edge-1' });
  const key = newKey();
  const again = await prove(agentUrl, key, { clusterUid: 'c1', enrolmentToken: token });
  t.is((await sayHello(again, 'edge-1', 'a2', elected)).type, 'welcome');
  t.is(plane.knownAgents()[0]?.copyRefusedAt, undefined);
  const copy = await connect();
  t.is(copy.reply.code, 4402);
});
