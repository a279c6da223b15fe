import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { WebSocket } from 'ws';
import { ControlPlane, type CommandEvent, type SentCommand } from '../../src/control-plane/index.ts';
import { testAgent } from '../agent/support/agent.ts';
import { testPlane } from './support/plane.ts';
import { rawAgent } from './support/raw-agent.ts';

const parameters = { releaseName: 'web', chartName: 'c' };
const status = (seq: number) => ({ seq, step: 'wait', state: 'running', time: '2026-01-01T00:00:00.000Z' });

async function eventsOf(command: SentCommand): Promise<CommandEvent[]> {
  const events = [];
  for await (const event of command) events.push(event);
  return events;
}

test('an agent that connects is welcomed and listed', async (t) => {
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
  await t.throwsAsync(plane.waitForAgent('nobody', AbortSignal.timeout(10)), { name: 'TimeoutError' });
});

test('a command gives its events in order, its result, and both again to those who come late', async (t) => {
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
  t.deepEqual(await command.result, { ok: true, release: { name: 'web' } });
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

test('each command has its method', async (t) => {
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

test('a failure is a result, not a rejection', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: agentUrl });
  await plane.waitForAgent('edge-1');
  const command = plane.install('edge-1', parameters);
  (await puppets.call(0)).fail(Object.assign(new Error('too late'), { code: 'cancelled' }));
  t.deepEqual(await command.result, { ok: false, error: { code: 'cancelled', message: 'too late' } });
});

test('what cannot be sent is refused with its code', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  t.throws(() => plane.install('edge-1', parameters), { code: 'agent_not_connected' });
  await rawAgent(agentUrl);
  t.throws(() => plane.send('edge-1', { type: 'fly' }), { code: 'unknown_command' });
  const values = 'x'.repeat(1_000_000);
  t.throws(() => plane.install('edge-1', { ...parameters, values }), { code: 'too_large' });
  plane.send('edge-1', { type: 'install_release', payload: parameters, key: 'k' });
  t.throws(() => plane.send('edge-1', { type: 'install_release', payload: {}, key: 'k' }), { code: 'key_reused' });
});

test('the same key with the same command is the same command', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  await rawAgent(agentUrl);
  const request = { type: 'install_release', payload: parameters, key: 'k' };
  t.is(plane.send('edge-1', request), plane.send('edge-1', request));
});

test('an agent that comes back goes on with its command; what it repeats is heard once', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const first = await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters);
  await first.packet('install_release');
  first.say('accepted', { durable: false }, command.key);
  first.say('status', status(1), command.key);
  await sleep(30);
  first.socket.terminate();
  await sleep(30);
  const second = await rawAgent(agentUrl);
  second.say('accepted', { durable: false, repeated: true }, command.key);
  for (const seq of [1, 2]) second.say('status', status(seq), command.key);
  second.say('result', { ok: true }, command.key);
  second.say('result', { ok: false, error: { code: 'internal', message: 'again' } }, command.key);
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
    'what was accepted is not sent again',
  );
});

test('a command that the agent did not accept before its socket was cut is sent again', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const first = await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters);
  const sent = await first.packet('install_release');
  first.socket.terminate();
  const second = await rawAgent(agentUrl);
  t.deepEqual(await second.packet('install_release'), sent);
  second.say('result', { ok: true }, command.key);
  t.true((await command.result).ok);
});

test('an agent that was restarted knows nothing of its command, which ends so', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const first = await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters);
  first.socket.terminate();
  await rawAgent(agentUrl, { instanceId: 'b' });
  t.like(await command.result, { ok: false, error: { code: 'agent_restarted' } });
});

test('while an agent is replaced the old instance answers its commands, and the new one gets the next', async (t) => {
  const { plane, agentUrl } = await testPlane(t);
  const old = await rawAgent(agentUrl);
  const first = plane.install('edge-1', parameters);
  const young = await rawAgent(agentUrl, { instanceId: 'b' });
  const second = plane.install('edge-1', { ...parameters, releaseName: 'b' });
  await young.packet('install_release');
  old.say('result', { ok: true }, first.key);
  t.true((await first.result).ok);
  old.socket.close();
  young.say('result', { ok: true }, second.key);
  t.true((await second.result).ok);
  t.is(plane.agents()[0]?.instanceId, 'b');
});

test('an agent cannot answer for a command of another', async (t) => {
  const { plane, agentUrl, lines } = await testPlane(t);
  await rawAgent(agentUrl);
  const other = await rawAgent(agentUrl, { agentId: 'edge-2', instanceId: 'z' });
  const command = plane.install('edge-1', parameters);
  other.say('result', { ok: true }, command.key);
  await sleep(30);
  t.is(command.outcome, undefined);
  t.true(lines.join('').includes('that it was not sent'));
});

test('an agent that sends nonsense is logged and served on', async (t) => {
  const { plane, agentUrl, lines } = await testPlane(t);
  const agent = await rawAgent(agentUrl);
  const command = plane.install('edge-1', parameters);
  agent.socket.send('{');
  agent.say('weather', {});
  agent.say('status', { seq: 0 }, command.key);
  agent.say('result', { ok: true }, command.key);
  t.true((await command.result).ok);
  t.is(lines.filter((line) => line.includes('bad packet')).length, 2);
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

test('only agents that bear the token and speak the protocol are served', async (t) => {
  const { plane, agentUrl, lines } = await testPlane(t, { agentToken: () => 'sentinel-token' });
  t.is(await refusedWith(agentUrl, ['helm-agent.v1'], {}), 401);
  t.is(await refusedWith(agentUrl, ['helm-agent.v1'], { authorization: 'Bearer wrong' }), 401);
  t.is(await refusedWith(agentUrl, [], { authorization: 'Bearer sentinel-token' }), 400);
  await testAgent(t, { controlPlaneUrl: agentUrl, readToken: () => Promise.resolve('sentinel-token') });
  await plane.waitForAgent('edge-1');
  t.false(lines.join('').includes('sentinel'));
});

test('without a token no web page becomes an agent', async (t) => {
  const { agentUrl } = await testPlane(t);
  t.is(await refusedWith(agentUrl, ['helm-agent.v1'], { origin: 'https://evil.example' }), 403);
});

test('a silent agent is dropped', async (t) => {
  const { plane, agentUrl } = await testPlane(t, { heartbeat: { pingIntervalMs: 1000, silenceLimitMs: 500 } });
  const agent = await rawAgent(agentUrl);
  agent.socket.pause();
  await sleep(800);
  t.deepEqual(plane.agents(), []);
});

test('an agent that does not answer does not keep a control plane from closing', async (t) => {
  const plane = new ControlPlane();
  const agent = await rawAgent(`ws://127.0.0.1:${await plane.listen(0)}`);
  agent.socket.pause();
  const start = performance.now();
  await plane.close();
  t.true(performance.now() - start < 5000);
});

test('closing tells the agents with 1001', async (t) => {
  const plane = new ControlPlane();
  const port = await plane.listen(0);
  const agent = await rawAgent(`ws://127.0.0.1:${port}`);
  const closed = once(agent.socket, 'close');
  await plane.close();
  t.is((await closed)[0], 1001);
});

test('a host that others can reach needs a token, or the explicit wish to go without', async (t) => {
  await t.throwsAsync(new ControlPlane().listen(0, '0.0.0.0'), { code: 'insecure_listen' });
  const plane = new ControlPlane({ insecure: true });
  await plane.listen(0, '0.0.0.0');
  await plane.close();
});
