import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import test from 'ava';
import { WebSocket } from 'ws';
import { type CommandEvent, ControlPlane, type SentCommand } from '../../src/control-plane/index.ts';
import { testAgent } from '../agent/support/agent.ts';
import { testRelease } from '../agent/support/release.ts';
import { eventually } from '../support/eventually.ts';
import { tokensOf } from './support/credentials.ts';
import { testPlane } from './support/plane.ts';
import { installed, rawAgent } from './support/raw-agent.ts';

const parameters = { releaseName: 'web', chartName: 'c' };
const status = (seq: number) => ({ seq, step: 'wait', state: 'running', time: '2026-01-01T00:00:00.000Z' });

async function eventsOf(command: SentCommand): Promise<CommandEvent[]> {
  const events = [];
  for await (const event of command) events.push(event);
  return events;
}

test('welcomes and lists an agent that connects', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  t.deepEqual(plane.agents(), []);
  const arrival = plane.waitForAgent('edge-1');
  await testAgent(t, { controlPlaneUrl: agentUrl });
  t.like(await arrival, { agentId: 'edge-1', instanceId: 'instance-1', version: '1.2.3' });
  t.is(plane.agents().length, 1);
  const raw = await rawAgent(agentUrl, { agentId: 'edge-0' });
  t.is((await raw.packet('welcome')).payload, '{"server":"helm-agent control-plane","version":"1.2.3"}');
  t.deepEqual(
    plane.agents().map(({ agentId }) => agentId),
    ['edge-0', 'edge-1'],
  );
});

test('waiting for an agent ends with the signal', async (t) => {
  const { plane } = await testPlane(t);
  await t.throwsAsync(plane.waitForAgent('edge-9', AbortSignal.timeout(10)), { name: 'TimeoutError' });
});

test('a command has its events in order and its result, again for later readers', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl });
  await plane.waitForAgent('edge-1');
  const command = plane.install('edge-1', { ...parameters, timeout: '90s' });
  t.is(plane.command(command.key), command);
  const live = eventsOf(command);
  const call = await puppets.call(0);
  t.like(call.payload, { releaseName: 'web', timeout: 90_000 });
  call.report('one');
  call.succeed();
  t.deepEqual(await command.result, { ok: true, release: testRelease('web') });
  t.deepEqual(
    (await live).map(({ id, type }) => [id, type]),
    [
      [1, 'accepted'],
      [2, 'status'],
      [3, 'result'],
    ],
  );
  t.deepEqual(await eventsOf(command), await live);
});

test('has a method for each command', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl });
  await plane.waitForAgent('edge-1');
  plane.install('edge-1', parameters);
  plane.upgrade('edge-1', { ...parameters, releaseName: 'b' });
  plane.uninstall('edge-1', { releaseName: 'c' });
  plane.list('edge-1');
  plane.get('edge-1', { releaseName: 'web' });
  plane.deploymentInfo('edge-1', { deploymentName: 'web' });
  await puppets.call(5);
  t.deepEqual(puppets.calls.map(({ type }) => type).sort(), [
    'deployment_info',
    'get_release',
    'install_release',
    'list_releases',
    'uninstall_release',
    'upgrade_release',
  ]);
});

test('the result of each method has the fields of its command', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl });
  await plane.waitForAgent('edge-1');
  const [install, list] = [plane.install('edge-1', parameters), plane.list('edge-1')];
  for (const index of [0, 1]) (await puppets.call(index)).succeed();
  const [release, releases] = [await install.result, await list.result];
  t.is(release.ok && release.release.info.status, 'deployed');
  t.is(release.ok && release.release.version, 1);
  t.deepEqual(releases.ok && releases.releases.map(({ name }) => name), []);
});

test('a result that does not fit its command is a failure', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const agent = await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters);
  agent.send('result', { ok: true }, command.key);
  t.deepEqual(await command.result, {
    ok: false,
    error: {
      code: 'internal',
      message: 'the agent sent a result that does not fit install_release: release is required',
    },
  });
});

test('a method takes the key of its command', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters, { key: 'k' });
  t.is(command.key, 'k');
  t.is(plane.install('edge-1', parameters, { key: 'k' }), command);
});

test('a sent command has no internals and no password', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  await rawAgent(agentUrl);
  const command = plane.install('edge-1', { ...parameters, repoPassword: 'sentinel' });
  t.deepEqual(Object.keys(command).sort(), ['agentId', 'cancel', 'key', 'result', 'state', 'stored', 'type']);
  t.false(inspect(command, { depth: Infinity, showHidden: true, getters: true }).includes('sentinel'));
});

test('a failure is a result, not a rejection', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl });
  await plane.waitForAgent('edge-1');
  const command = plane.install('edge-1', parameters);
  (await puppets.call(0)).fail(Object.assign(new Error('too late'), { code: 'cancelled' }));
  t.deepEqual(await command.result, { ok: false, error: { code: 'cancelled', message: 'too late' } });
});

test('refuses commands that cannot be sent, with a code', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  t.throws(() => plane.install('edge-1', parameters), { code: 'agent_not_connected' });
  await rawAgent(agentUrl);
  t.throws(() => plane.send('edge-1', { type: 'fly' }), { code: 'unknown_command' });
  const values = 'x'.repeat(1_000_000);
  t.throws(() => plane.install('edge-1', { ...parameters, values }), { code: 'too_large' });
  plane.send('edge-1', { type: 'install_release', payload: parameters, key: 'k' });
  t.throws(() => plane.send('edge-1', { type: 'install_release', payload: {}, key: 'k' }), { code: 'key_reused' });
});

test('returns the known command for the same key and command', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  await rawAgent(agentUrl);
  const request = { type: 'install_release', payload: parameters, key: 'k' };
  t.is(plane.send('edge-1', request), plane.send('edge-1', request));
});

test('a command continues when its agent reconnects, without repeated events', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const first = await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters);
  await first.packet('install_release');
  first.send('accepted', { durable: false }, command.key);
  first.send('status', status(1), command.key);
  for await (const { type } of command) if (type === 'status') break;
  first.socket.terminate();
  await eventually('the agent is disconnected', () => plane.agents().length === 0);
  const second = await rawAgent(agentUrl);
  second.send('accepted', { durable: false, repeated: true }, command.key);
  for (const seq of [1, 2]) second.send('status', status(seq), command.key);
  second.send('result', installed, command.key);
  second.send('result', { ok: false, error: { code: 'internal', message: 'again' } }, command.key);
  const events = await eventsOf(command);
  t.deepEqual(
    events.map(({ type, payload }) => [
      type,
      'seq' in payload ? payload.seq : 'connected' in payload && payload.connected,
    ]),
    [
      ['accepted', false],
      ['status', 1],
      ['agent', false],
      ['agent', true],
      ['status', 2],
      ['result', false],
    ],
  );
  t.true((await command.result).ok);
  t.false(
    second.packets.some(({ type }) => type === 'install_release'),
    'an accepted command is not sent again',
  );
});

test('sends a command again that was not accepted before the connection was lost', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const first = await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters);
  const sent = await first.packet('install_release');
  first.socket.terminate();
  const second = await rawAgent(agentUrl);
  t.deepEqual(await second.packet('install_release'), sent);
  second.send('result', installed, command.key);
  t.true((await command.result).ok);
});

test('a command ends with agent_restarted when another instance of its agent connects', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const first = await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters);
  first.socket.terminate();
  await eventually('the agent is disconnected', () => plane.agents().length === 0);
  await rawAgent(agentUrl, { instanceId: 'b' });
  t.like(await command.result, { ok: false, error: { code: 'agent_restarted' } });
});

test('a new instance of an agent with a journal continues the commands of the old one', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const first = await rawAgent(agentUrl, { durable: true });
  const [accepted, sent] = [plane.install('edge-1', parameters), plane.install('edge-1', parameters)];
  first.send('accepted', { durable: true }, accepted.key);
  first.send('status', { seq: 7, step: 'wait', state: 'running', time: '2026-01-01T00:00:00.000Z' }, accepted.key);
  for await (const { type } of accepted) if (type === 'status') break;
  first.socket.terminate();
  await eventually('the agent is disconnected', () => plane.agents().length === 0);

  const second = await rawAgent(agentUrl, { instanceId: 'b', durable: true });
  const { payload = '' } = await second.packet('unfinished');
  t.deepEqual(JSON.parse(payload), { keys: [accepted.key] });
  t.is((await second.packet('install_release')).key, sent.key);
  second.send('accepted', { durable: true, resumed: true }, accepted.key);
  second.send('status', { seq: 1, step: 'wait', state: 'done', time: '2026-01-01T00:00:01.000Z' }, accepted.key);
  for (const { key } of [accepted, sent]) second.send('result', installed, key);
  second.send('result', installed, accepted.key);
  t.true((await sent.result).ok);
  const events: unknown[] = [];
  for await (const { type, payload: event } of accepted) events.push([type, 'seq' in event ? event.seq : event]);
  t.deepEqual(events, [
    ['accepted', { durable: true }],
    ['status', 7],
    ['agent', { connected: false }],
    ['agent', { connected: true }],
    ['accepted', { durable: true, resumed: true }],
    ['status', 1],
    ['result', installed],
  ]);
});

test('an instance without a journal does not continue commands', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const first = await rawAgent(agentUrl, { durable: true });
  const command = plane.install('edge-1', parameters);
  first.send('accepted', { durable: true }, command.key);
  first.socket.terminate();
  await eventually('the agent is disconnected', () => plane.agents().length === 0);
  await rawAgent(agentUrl, { instanceId: 'b' });
  t.like(await command.result, { ok: false, error: { code: 'agent_restarted' } });
});

test('while an agent is replaced, the old instance finishes its commands and the new one gets the next', async (t) => {
  const { plane, agentUrl, lines } = await testPlane(t, { authenticate: tokensOf({ 'edge-1': 'one' }) });
  const old = await rawAgent(agentUrl, {}, 'one');
  const closed = once(old.socket, 'close');
  const first = plane.install('edge-1', parameters);
  const young = await rawAgent(agentUrl, { instanceId: 'b' }, 'one');
  t.true(lines.join('').includes('a second instance of a connected agent takes over'));
  const second = plane.install('edge-1', { ...parameters, releaseName: 'b' });
  await young.packet('install_release');
  old.send('result', installed, first.key);
  t.true((await first.result).ok);
  t.is((await closed)[0], 4409);
  young.send('result', installed, second.key);
  t.true((await second.result).ok);
  t.is(plane.agents()[0]?.instanceId, 'b');
});

test('an agent cannot send results for commands of another agent', async (t) => {
  const authenticate = tokensOf({ 'edge-1': 'one', 'edge-2': 'two' });
  const { plane, agentUrl, lines } = await testPlane(t, { authenticate });
  await rawAgent(agentUrl, {}, 'one');
  const other = await rawAgent(agentUrl, { agentId: 'edge-2' }, 'two'); // with the same instance id
  const command = plane.install('edge-1', parameters);
  other.send('accepted', { durable: false }, command.key);
  other.send('status', status(1), command.key);
  other.send('result', installed, command.key);
  await eventually('what is missing is reported', () => lines.join('').includes('that it did not get'));
  t.is(command.state, 'sent');
});

test('logs the bad packets of an agent and continues to serve it', async (t) => {
  const { plane, agentUrl, lines } = await testPlane(t);
  const agent = await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters);
  agent.socket.send('{');
  agent.send('weather', {});
  agent.send('status', { seq: 0, step: 'sentinel' }, command.key);
  agent.send('result', installed, command.key);
  t.true((await command.result).ok);
  t.is(lines.filter((line) => line.includes('bad packet')).length, 3);
  t.false(lines.join('').includes('sentinel'));
});

async function refusedWith(
  url: string,
  protocols: string[],
  headers: Record<string, string>,
): Promise<number | undefined> {
  const socket = new WebSocket(url, protocols, { headers });
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode?: number }];
  socket.on('error', () => undefined);
  socket.terminate();
  return response.statusCode;
}

test('serves only agents with a credential and the subprotocol', async (t) => {
  const { plane, agentUrl, lines } = await testPlane(t, { authenticate: tokensOf({ 'edge-1': 'sentinel-token' }) });
  t.is(await refusedWith(agentUrl, ['helm-agent.v1'], {}), 401);
  t.is(await refusedWith(agentUrl, ['helm-agent.v1'], { authorization: 'Bearer wrong' }), 401);
  t.is(await refusedWith(agentUrl, [], { authorization: 'Bearer sentinel-token' }), 400);
  await testAgent(t, { controlPlaneUrl: agentUrl, readToken: () => Promise.resolve('sentinel-token') });
  await plane.waitForAgent('edge-1');
  t.false(lines.join('').includes('sentinel'));
});

test('refuses web pages if there is no token', async (t) => {
  const { agentUrl } = await testPlane(t);
  t.is(await refusedWith(agentUrl, ['helm-agent.v1'], { origin: 'https://evil.example' }), 403);
});

/** Returns the code and reason with which an agent's connection is closed after its hello. */
async function closedWith(url: string, as: Parameters<typeof rawAgent>[1], token?: string) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const socket = new WebSocket(url, ['helm-agent.v1'], { headers });
  await once(socket, 'open');
  const hello = { agentId: 'edge-1', instanceId: 'x', version: '1', capabilities: [], limits: { maxPacketBytes: 1 } };
  socket.send(JSON.stringify({ type: 'hello', payload: JSON.stringify({ ...hello, ...as }) }));
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  return [code, reason.toString()];
}

test('refuses a hello with another id than that of the credential', async (t) => {
  const authenticate = tokensOf({ 'edge-1': 'one', 'edge-2': 'two' });
  const { plane, agentUrl, lines } = await testPlane(t, { authenticate });
  await rawAgent(agentUrl, {}, 'one');
  const reason = 'this credential is that of another agent than edge-1';
  t.deepEqual(await closedWith(agentUrl, { agentId: 'edge-1' }, 'two'), [4403, reason]);
  t.deepEqual(
    plane.agents().map(({ instanceId }) => instanceId),
    ['a'],
  );
  t.true(lines.join('').includes('claims the id of another'));
});

test('without credentials, refuses a second agent with the id of a connected one', async (t) => {
  const { plane, agentUrl, lines } = await testPlane(t);
  const first = await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters);
  t.deepEqual(await closedWith(agentUrl, {}), [4409, 'another agent is connected with this id']);
  t.true(lines.join('').includes('refused a second agent'));
  first.send('result', installed, command.key);
  t.true((await command.result).ok);
});

test('an instance that takes over without commands of the old one closes it at once', async (t) => {
  const { agentUrl } = await testPlane(t, { authenticate: tokensOf({ 'edge-1': 'one' }) });
  const old = await rawAgent(agentUrl, {}, 'one');
  const closed = once(old.socket, 'close');
  await rawAgent(agentUrl, { instanceId: 'b' }, 'one');
  t.is((await closed)[0], 4409);
});

test('closes the connection of an agent whose identity is revoked', async (t) => {
  const revocation = new AbortController();
  const authenticate = () => Promise.resolve({ agentId: 'edge-1', revoked: revocation.signal });
  const { plane, agentUrl } = await testPlane(t, { authenticate });
  const agent = await rawAgent(agentUrl);
  const closed = once(agent.socket, 'close');
  revocation.abort();
  t.is((await closed)[0], 4401);
  await eventually('the agent is disconnected', () => plane.agents().length === 0);
  t.deepEqual(await closedWith(agentUrl, {}), [4401, "the agent's credential was revoked"]);
});

test('closes a connection without a hello', async (t) => {
  const { agentUrl } = await testPlane(t, { helloTimeoutMs: 50 });
  const socket = new WebSocket(agentUrl, ['helm-agent.v1']);
  const [code, reason] = (await once(socket, 'close')) as [number, Buffer];
  t.deepEqual([code, reason.toString()], [4400, 'no hello']);
});

test('the connection of an agent that is connected stays open without further packets', async (t) => {
  const { plane, agentUrl } = await testPlane(t, { helloTimeoutMs: 3000 });
  await rawAgent(agentUrl);
  await sleep(3100);
  t.is(plane.agents().length, 1);
});

test('refuses agents and users that name another host if there are no credentials', async (t) => {
  const { agentUrl, port } = await testPlane(t);
  t.is(await refusedWith(agentUrl, ['helm-agent.v1'], { host: 'evil.example' }), 403);
  t.is(await refusedWith(agentUrl, ['helm-agent.v1'], { host: `evil.example:${port}` }), 403);
  const authenticate = tokensOf({ 'edge-1': 'one' });
  const other = await testPlane(t, { authenticate });
  const headers = { authorization: 'Bearer one', host: 'control-plane.example' };
  const socket = new WebSocket(other.agentUrl, ['helm-agent.v1'], { headers });
  await once(socket, 'open');
  socket.terminate();
});

test('a result that cannot be read ends its command', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const agent = await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters);
  agent.send('result', { ok: 'perhaps' }, command.key);
  t.like(await command.result, { ok: false, error: { code: 'internal' } });
});

test('keeps the newest events of a command up to a number of bytes, and its result', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const agent = await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters);
  const message = 'x'.repeat(100_000);
  for (let seq = 1; seq <= 60; seq++) agent.send('status', { ...status(seq), message }, command.key);
  agent.send('result', installed, command.key);
  await command.result;
  const events = await eventsOf(command);
  t.true(events.length < 25 && events.length > 15, String(events.length));
  t.is(events.at(-1)?.type, 'result');
});

test('the option of the former shared token is refused', (t) => {
  t.throws(() => new ControlPlane({ agentToken: 'x' } as object), { instanceOf: TypeError, message: /authenticate/ });
});

test('disconnects a silent agent', async (t) => {
  const { plane, agentUrl } = await testPlane(t, { heartbeat: { pingIntervalMs: 1000, silenceLimitMs: 3000 } });
  const agent = await rawAgent(agentUrl);
  agent.socket.pause();
  await t.notThrowsAsync(eventually('the agent is disconnected', () => plane.agents().length === 0));
});

test('closes although an agent does not respond', async (t) => {
  const plane = new ControlPlane();
  const agent = await rawAgent(`ws://127.0.0.1:${await plane.listen(0)}`);
  agent.socket.pause();
  await t.notThrowsAsync(plane.close());
});

test('closes the connections of agents with 1001', async (t) => {
  const plane = new ControlPlane();
  const port = await plane.listen(0);
  const agent = await rawAgent(`ws://127.0.0.1:${port}`);
  const closed = once(agent.socket, 'close');
  await plane.close();
  t.is((await closed)[0], 1001);
});

test('closes a connection that waits for a hello when it closes', async (t) => {
  const { plane, agentUrl } = await testPlane(t, { helloTimeoutMs: 600_000 });
  const socket = new WebSocket(agentUrl, ['helm-agent.v1']);
  await once(socket, 'open');
  const closed = once(socket, 'close');
  await plane.close();
  t.is((await closed)[0], 1001);
});

test('asks agents that know it to come back later when it closes', async (t) => {
  const plane = new ControlPlane();
  const url = `ws://127.0.0.1:${await plane.listen(0)}`;
  const old = await rawAgent(url);
  const young = await rawAgent(url, { agentId: 'edge-2', resume: { epoch: 'a', acknowledged: 0, connection: 1 } });
  const closed = Promise.all([old, young].map(({ socket }) => once(socket, 'close')));
  await plane.close({ retryAfter: 30 });
  await closed;
  t.deepEqual(JSON.parse((await young.packet('drain')).payload ?? ''), {
    reason: 'the control plane is shutting down',
    retryAfter: 30,
  });
  t.deepEqual(
    old.packets.map(({ type }) => type),
    ['welcome'],
  );
});

test('closes a connection that is older than another one of its agent, whenever its hello arrives', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const resume = { epoch: 'a', acknowledged: 0, connection: 2 };
  const agent = await rawAgent(agentUrl, { resume });
  const hello = { instanceId: 'a', resume: { ...resume, connection: 1 } };
  t.deepEqual(await closedWith(agentUrl, hello), [4409, 'a newer connection of this instance was accepted']);
  const command = plane.install('edge-1', parameters);
  await agent.packet('install_release');
  agent.send('result', installed, command.key);
  t.true((await command.result).ok);
});

test('asks an agent whose packets it lacks for its unfinished commands', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const resume = { epoch: 'a', acknowledged: 0, connection: 1 };
  const first = await rawAgent(agentUrl, { resume });
  const command = plane.install('edge-1', parameters);
  first.send('accepted', { durable: false }, command.key);
  for await (const { type } of command) if (type === 'accepted') break;
  first.socket.terminate();
  await eventually('the agent is disconnected', () => plane.agents().length === 0);
  // another control plane has acknowledged packets since
  const second = await rawAgent(agentUrl, { resume: { ...resume, acknowledged: 9, connection: 2 } });
  t.is((await second.packet('unfinished')).payload, JSON.stringify({ keys: [command.key] }));
});

test('on a host that other machines can reach, agents without a credential are let in only with `insecure`', async (t) => {
  const { agentUrl } = await testPlane(t, { host: '0.0.0.0' });
  await t.throwsAsync(rawAgent(agentUrl), { message: /401/ });
  const open = await testPlane(t, { host: '0.0.0.0', insecure: true });
  await t.notThrowsAsync(rawAgent(open.agentUrl));
});
