import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { WebSocketServer } from 'ws';
import { AgentKey } from '../../../src/agent/key/agent-key.ts';
import { areOk } from '../../../src/net/health.ts';
import { subprotocol } from '../../../src/protocol/subprotocol.ts';
import { testPlane } from '../../control-plane/support/plane.ts';
import { eventually } from '../../support/eventually.ts';
import { testAgent } from '../support/agent.ts';
import { recordingLog } from '../support/log.ts';
import { memoryKeyStore } from '../support/memory-key.ts';
import { testRelease } from '../support/release.ts';

const day = 24 * 3_600_000;

/** An agent with a token of a control plane, and a clock for the age of its key. */
async function world(t: ExecutionContext, options: { needsConsent?: boolean; rotateAfterMs?: number } = {}) {
  const plane = await testPlane(t);
  const { token } = await plane.plane.createEnrolment({ agentId: 'edge-1', needsConsent: options.needsConsent });
  const clock = { now: Date.now() };
  const store = memoryKeyStore();
  const given = { token: token as string | undefined };
  const keyOf = (clusterUid = 'c1') =>
    new AgentKey({
      ...{ agentId: 'edge-1', store, log: recordingLog().log, rotateAfterMs: options.rotateAfterMs ?? day },
      readToken: () => Promise.resolve(given.token),
      clusterUid: () => Promise.resolve(clusterUid),
      now: () => new Date(clock.now),
    });
  return { ...plane, store, clock, given, keyOf };
}

test('an agent enrols, connects, performs commands, and connects again with its key', async (t) => {
  const { plane, agentUrl, keyOf, given, store } = await world(t);
  const first = await testAgent(t, { controlPlaneUrl: agentUrl, key: keyOf() });
  await plane.waitForAgent('edge-1');
  await eventually('the enrolment is noted', () => store.state?.audience !== undefined);
  const command = plane.install('edge-1', { releaseName: 'web', chartName: 'c' });
  (await first.puppets.call(0)).succeed({ release: testRelease('web') });
  t.true((await command.result).ok);
  await first.agent.stop();
  given.token = undefined;
  await testAgent(t, { controlPlaneUrl: agentUrl, key: keyOf(), instanceId: 'instance-2' });
  await plane.waitForAgent('edge-1');
  t.pass();
});

test('an agent that waits for consent is alive and not ready, and connects when it is accepted', async (t) => {
  const { plane, agentUrl, keyOf } = await world(t, { needsConsent: true });
  const { agent, lines } = await testAgent(t, {
    ...{ controlPlaneUrl: agentUrl, key: keyOf() },
    times: { handshakeTimeoutMs: 300, slackMs: 0 },
  });
  await eventually('it waits', () => lines.join('').includes('waits until it is accepted'));
  await new Promise((resolve) => setTimeout(resolve, 400));
  t.true(areOk(agent.health.live()));
  t.false(agent.isReady());
  t.deepEqual(plane.agents(), []);
  await plane.acceptAgent('edge-1');
  await plane.waitForAgent('edge-1');
  t.true(agent.isReady());
});

test('an agent that waits for consent stops at once', async (t) => {
  const { agentUrl, keyOf } = await world(t, { needsConsent: true });
  const { agent, lines } = await testAgent(t, { controlPlaneUrl: agentUrl, key: keyOf() });
  await eventually('it waits', () => lines.join('').includes('waits until it is accepted'));
  await t.notThrowsAsync(agent.stop());
});

test('a key that becomes due is replaced on a connection of its own, and commands continue', async (t) => {
  const { plane, agentUrl, keyOf, store, clock, given } = await world(t, { rotateAfterMs: 300 });
  const { puppets, agent } = await testAgent(t, { controlPlaneUrl: agentUrl, key: keyOf() });
  await plane.waitForAgent('edge-1');
  await eventually('the enrolment is noted', () => store.state?.audience !== undefined);
  given.token = undefined;
  const before = store.state?.key.x;
  const command = plane.install('edge-1', { releaseName: 'web', chartName: 'c' });
  const call = await puppets.call(0);
  clock.now += 300;
  await eventually('the key is another one', () => store.state?.key.x !== before);
  await eventually('it is connected', () => agent.isReady());
  call.succeed({ release: testRelease('web') });
  t.true((await command.result).ok);
  t.is(store.state?.nextKey, undefined);
});

test('a copy of an agent says that it is one, and the original stays', async (t) => {
  const { plane, agentUrl, keyOf } = await world(t);
  const original = await testAgent(t, { controlPlaneUrl: agentUrl, key: keyOf('c1') });
  await plane.waitForAgent('edge-1');
  const copy = await testAgent(t, { controlPlaneUrl: agentUrl, key: keyOf('c2'), instanceId: 'instance-2' });
  await eventually('the copy is refused', () => copy.lines.join('').includes('another cluster has enrolled this key'));
  t.true(original.agent.isReady());
  t.false(copy.agent.isReady());
  t.is(plane.agents()[0]?.instanceId, 'instance-1');
});

test('a revoked agent that is enrolled again connects without a restart', async (t) => {
  const { plane, agentUrl, keyOf, given } = await world(t);
  await testAgent(t, { controlPlaneUrl: agentUrl, key: keyOf(), random: () => 0 });
  await plane.waitForAgent('edge-1');
  await plane.revokeAgent('edge-1');
  await eventually('it is gone', () => plane.agents().length === 0);
  given.token = (await plane.createEnrolment({ agentId: 'edge-1' })).token;
  await plane.waitForAgent('edge-1');
  t.pass();
});

test('an agent without a token and a key says what to do', async (t) => {
  const { agentUrl, keyOf, given } = await world(t);
  given.token = undefined;
  const { lines } = await testAgent(t, { controlPlaneUrl: agentUrl, key: keyOf() });
  await eventually('it says so', () => /has not enrolled, and has no token.*ctl enrol/.test(lines.join('')));
  t.pass();
});

test('a control plane that does not know keys is named as the problem, and gets no token', async (t) => {
  const seen: Array<string | undefined> = [];
  const { plane, agentUrl } = await testPlane(t);
  t.is(plane.agents().length, 0);
  t.truthy(agentUrl);
  const server = createServer((socket) => {
    socket.once('data', (data: Buffer) => {
      seen.push(/^authorization:.*$/im.exec(data.toString())?.[0]);
      socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const { keyOf } = await world(t);
  const readToken = () => Promise.resolve('secret');
  const { lines } = await testAgent(t, { controlPlaneUrl: `ws://127.0.0.1:${port}`, key: keyOf(), readToken });
  await eventually('it says so', () => lines.join('').includes('does not know keys of agents'));
  t.deepEqual([...new Set(seen)], [undefined]);
});

test('an older control plane of this machine, without credentials, is used as before', async (t) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => subprotocol });
  await once(server, 'listening');
  t.teardown(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  const first = once(server, 'connection').then(
    async ([socket]) => (await once(socket as NodeJS.EventEmitter, 'message'))[0] as Buffer,
  );
  const { keyOf } = await world(t);
  await testAgent(t, { controlPlaneUrl: `ws://127.0.0.1:${port}`, key: keyOf() });
  t.regex((await first).toString(), /"type":"hello"/);
});

/** Accepts the handshake of an agent with a key, and sends frames. */
async function hostilePlane(t: ExecutionContext, frames: readonly string[]) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'helm-agent.v1.key' });
  await once(server, 'listening');
  t.teardown(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const received: string[] = [];
  server.on('connection', (socket) => {
    for (const frame of frames) socket.send(frame);
    socket.on('message', (data: Buffer) => received.push(data.toString()));
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return { url: `ws://127.0.0.1:${port}`, received };
}

const packet = (type: string, payload: object) => JSON.stringify({ type, payload: JSON.stringify(payload) });

test('an agent signs nothing for another control plane than its own', async (t) => {
  const { agentUrl, keyOf, plane, store, given } = await world(t);
  const { agent } = await testAgent(t, { controlPlaneUrl: agentUrl, key: keyOf() });
  await plane.waitForAgent('edge-1');
  await eventually('the enrolment is noted', () => store.state?.audience !== undefined);
  await agent.stop();
  given.token = undefined;
  const { url, received } = await hostilePlane(t, [packet('challenge', { audience: 'evil', nonce: 'A'.repeat(43) })]);
  const { lines } = await testAgent(t, { controlPlaneUrl: url, key: keyOf() });
  await eventually('it refuses', () => lines.join('').includes('this is another control plane than the one'));
  t.deepEqual(received, []);
});

for (const [name, frames] of Object.entries({
  'a challenge with a line break': [packet('challenge', { audience: 'a\nb', nonce: 'A'.repeat(43) })],
  'a challenge with a long audience': [packet('challenge', { audience: 'a'.repeat(200), nonce: 'A'.repeat(43) })],
  'a challenge with a short nonce': [packet('challenge', { audience: 'a', nonce: 'AAAA' })],
  'a frame that is no packet': ['{'],
  'no reply': [],
})) {
  test(`an agent gives a connection up, and tries again: ${name}`, async (t) => {
    const { keyOf } = await world(t);
    const { url, received } = await hostilePlane(t, frames);
    const { lines, agent } = await testAgent(t, {
      controlPlaneUrl: url,
      key: keyOf(),
      times: { handshakeTimeoutMs: 200 },
    });
    await eventually('it fails', () => lines.join('').includes('cannot connect to the control plane'));
    t.false(agent.isReady());
    t.deepEqual(received, []);
  });
}
