import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { tokenFile } from '../../../src/agent/connection/token-file.ts';
import { commandTypes } from '../../../src/protocol/commands/index.ts';
import { eventually } from '../../support/eventually.ts';
import { testAgent } from '../support/agent.ts';
import { controlPlane, install, payloadOf, seqs } from '../support/control-plane.ts';
import { testRelease } from '../support/release.ts';

test('an agent sends hello, needs no welcome, and performs commands', async (t) => {
  const plane = await controlPlane(t);
  const { puppets, agent } = await testAgent(t, { controlPlaneUrl: plane.url });
  const connection = await plane.connection(0);
  t.is(connection.socket.protocol, 'helm-agent.v1');
  t.like(payloadOf(await connection.packet('hello')), {
    agentId: 'edge-1',
    instanceId: 'instance-1',
    version: '1.2.3',
    capabilities: commandTypes,
  });
  t.true(agent.isReady());
  connection.send(install('k'));
  const call = await puppets.call(0);
  call.report('one');
  call.succeed();
  t.deepEqual(payloadOf(await connection.packet('result', 'k')), { ok: true, release: testRelease('web') });
  t.deepEqual(
    connection.packets.map(({ key, type }) => [key, type]),
    [
      [undefined, 'hello'],
      ['k', 'accepted'],
      ['k', 'status'],
      ['k', 'result'],
    ],
  );
});

test('an agent accepts a welcome', async (t) => {
  const plane = await controlPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: plane.url });
  const connection = await plane.connection(0);
  connection.send({ type: 'welcome', payload: '{"server":"x","version":"1"}' });
  connection.send({ key: 'k', type: 'list_releases' });
  (await puppets.call(0)).succeed({ releases: [{ name: 'web' }] });
  t.deepEqual(payloadOf(await connection.packet('result', 'k')), { ok: true, releases: [{ name: 'web' }] });
});

test('a plain server gets the bare text of an error, with the type and key of its command', async (t) => {
  const plane = await controlPlane(t, { select: () => false });
  const { puppets } = await testAgent(t, { controlPlaneUrl: plane.url });
  const connection = await plane.connection(0);
  connection.send(install('k'));
  (await puppets.call(0)).fail(Object.assign(new Error('it is late'), { code: 'cancelled' }));
  t.deepEqual(await connection.packet('install_release'), { key: 'k', type: 'install_release', payload: 'it is late' });
  connection.send({ key: 'u', type: 'nope' });
  t.regex(
    (await connection.packet('nope')).payload ?? '',
    /^unknown command "nope"; known commands: install_release, /,
  );
});

test('a failure to connect is logged as a warning once for each reason', async (t) => {
  const statuses = [503, 503, 403, 403, 503];
  const server = createServer((_request, response) => {
    response.writeHead(statuses[Math.min(attempts++, statuses.length - 1)] ?? 503).end();
  });
  let attempts = 0;
  t.teardown(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server has no other address
  const { lines } = await testAgent(t, { controlPlaneUrl: `ws://127.0.0.1:${port}` });
  await eventually('there are 7 attempts', () => attempts >= 7);
  const failures = lines
    .map((line) => JSON.parse(line) as { level: number; msg: string; reason: string })
    .filter(({ msg }) => /cannot connect/.test(msg))
    .slice(0, 6);
  t.deepEqual(
    failures.map(({ level, reason }) => [level, /\b\d{3}\b/.exec(reason)?.[0]]),
    [
      [40, '503'],
      [20, '503'],
      [40, '403'],
      [20, '403'],
      [40, '503'],
      [20, '503'],
    ],
  );
});

test('a lost connection loses no packet: the rest follows on the next one', async (t) => {
  const plane = await controlPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: plane.url });
  const first = await plane.connection(0);
  first.send(install('k'));
  const call = await puppets.call(0);
  call.report('one');
  await first.packet('status');
  await first.confirmed();
  first.socket.terminate();
  await first.closed;
  call.report('two');
  const second = await plane.connection(1);
  call.report('three');
  call.succeed();
  t.true(payloadOf(await second.packet('result', 'k'))['ok']);
  t.deepEqual(seqs(first.packets), [1]);
  t.deepEqual(seqs(second.packets), [2, 3]);
  t.is(second.packets[0]?.type, 'hello');
});

test('without a connection, the oldest status packets become part of later ones, visibly; results stay', async (t) => {
  const plane = await controlPlane(t);
  const { puppets, lines } = await testAgent(t, { controlPlaneUrl: plane.url });
  const first = await plane.connection(0);
  first.send(install('k'));
  const call = await puppets.call(0);
  first.socket.terminate();
  await first.closed;
  for (let i = 1; i <= 1003; i++) call.report(String(i));
  call.succeed();
  const second = await plane.connection(1);
  await second.packet('result', 'k');
  t.is(seqs(second.packets)[0], 4);
  t.is(seqs(second.packets).length, 1000);
  t.true(lines.join('').includes('"merged":3,'));
});

const tooManyReplies = 'too many replies wait to be confirmed by the control plane; try again later';

test('no result is lost, however many the control plane does not confirm; new commands are then refused', async (t) => {
  const plane = await controlPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: plane.url, waiting: { length: 1e6, count: 150 } });
  const first = await plane.connection(0);
  const resume = { epoch: 'e', acknowledged: 0 };
  first.send({ type: 'welcome', payload: JSON.stringify({ server: 'x', version: '1', resume }) });
  const list = (key: string) => ({ key, type: 'list_releases' });
  const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
  for (const key of keys) first.send(list(key));
  const isResult = ({ type }: { type: string | undefined }) => type === 'result';
  // 64 of them run, and the others are refused
  await eventually('all others are refused', () => first.packets.filter(isResult).length >= keys.length - 64);
  for (const call of puppets.calls) call.succeed({ releases: [] });
  first.send(list('late'));
  await eventually('all commands have a result', () => first.packets.filter(isResult).length > keys.length);
  t.like(payloadOf(await first.packet('result', 'late')), { error: { code: 'busy', message: tooManyReplies } });

  first.socket.terminate();
  const second = await plane.connection(1);
  second.send({ type: 'welcome', payload: JSON.stringify({ server: 'x', version: '1', resume }) });
  await eventually('all results are sent again', () => second.packets.filter(isResult).length > keys.length);
  const results = second.packets.filter(isResult).map(({ key }) => key);
  t.deepEqual(results.sort(), [...keys, 'late'].sort());
  second.send({ type: 'ack', payload: JSON.stringify({ seq: second.packets.at(-1)?.seq }) });
  second.send(list('next'));
  (await puppets.call(64)).succeed({ releases: [] });
  t.true(payloadOf(await second.packet('result', 'next'))['ok']);
});

test('the token is read at each dial, and is not logged', async (t) => {
  const path = join(await mkdtemp(join(tmpdir(), 'helm-agent-')), 'token');
  await writeFile(path, 'sentinel-one\n');
  const plane = await controlPlane(t, { refuse: (attempt) => (attempt === 0 ? 401 : undefined) });
  const { lines } = await testAgent(t, { controlPlaneUrl: plane.url, readToken: tokenFile(path) });
  const first = await plane.connection(0);
  await writeFile(path, '  sentinel-two');
  first.socket.close();
  await plane.connection(1);
  t.deepEqual(
    plane.attempts.map(({ authorization }) => authorization),
    ['Bearer sentinel-one', 'Bearer sentinel-one', 'Bearer sentinel-two'],
  );
  const all = lines.join('');
  t.true(all.includes('401'));
  t.false(all.includes('sentinel'));
});

test('an agent without its token file logs the reason and tries again', async (t) => {
  const path = join(await mkdtemp(join(tmpdir(), 'helm-agent-')), 'token');
  const plane = await controlPlane(t);
  const { lines } = await testAgent(t, { controlPlaneUrl: plane.url, readToken: tokenFile(path) });
  await eventually('the token file is reported', () => lines.join('').includes('token file'));
  await writeFile(path, 'late');
  await plane.connection(0);
  t.is(plane.attempts[0]?.authorization, 'Bearer late');
});

test('an agent that stops cancels its operations, sends the results and closes with 1001', async (t) => {
  const plane = await controlPlane(t);
  const { agent, puppets } = await testAgent(t, { controlPlaneUrl: plane.url });
  const connection = await plane.connection(0);
  connection.send(install('k'));
  const call = await puppets.call(0);
  call.context.signal.addEventListener('abort', () => call.fail(call.context.signal.reason));
  await agent.stop();
  t.like(payloadOf(await connection.packet('result', 'k')), { ok: false, error: { code: 'cancelled' } });
  t.is((await connection.closed).code, 1001);
  await sleep(100);
  t.is(plane.attempts.length, 1);
  t.false(agent.isReady());
});

test('an agent that stops without a connection stops after its time', async (t) => {
  const plane = await controlPlane(t, { refuse: () => 503 });
  const { agent } = await testAgent(t, { controlPlaneUrl: plane.url });
  await eventually('there is a second attempt', () => plane.attempts.length >= 2);
  await agent.stop();
  const attempts = plane.attempts.length;
  await sleep(150);
  t.is(plane.attempts.length, attempts);
});

test('a server that selects no subprotocol gets the plain form, and its first command is not lost', async (t) => {
  const plane = await controlPlane(t, { select: () => false, greeting: install('k') });
  const { puppets } = await testAgent(t, { controlPlaneUrl: plane.url });
  const call = await puppets.call(0);
  call.report('one');
  call.succeed();
  const first = await plane.connection(0);
  await first.packet('install_release', 'k');
  t.deepEqual(first.packets, [{ key: 'k', type: 'install_release', payload: JSON.stringify(testRelease('web')) }]);
  first.socket.close();
  await plane.connection(1);
  t.deepEqual(
    plane.attempts.map(({ protocol }) => protocol),
    ['helm-agent.v1', 'helm-agent.v1'],
  );
});

test('the first control plane that can be reached gets the agent, again after each connection', async (t) => {
  let isDown = true;
  const first = await controlPlane(t, { refuse: () => (isDown ? 503 : undefined) });
  const second = await controlPlane(t);
  const third = await controlPlane(t);
  await testAgent(t, {
    controlPlaneUrl: [first.url, second.url, third.url],
    times: { backoff: { baseMs: 20, capMs: 100, stableMs: 0 } },
  });
  const connection = await second.connection(0);
  isDown = false;
  connection.socket.terminate();
  await first.connection(0);
  t.is(second.attempts.length, 1);
  t.is(third.attempts.length, 0);
});

test('packets that one control plane has not confirmed are sent to the next one', async (t) => {
  const first = await controlPlane(t);
  const second = await controlPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: [first.url, second.url] });
  const connection = await first.connection(0);
  connection.send(install('k'));
  const call = await puppets.call(0);
  await first.close();
  call.succeed();
  await t.notThrowsAsync((await second.connection(0)).packet('result', 'k'));
});

test('an agent that is asked to come back later goes to the next control plane, or waits', async (t) => {
  const first = await controlPlane(t);
  const second = await controlPlane(t);
  await testAgent(t, { controlPlaneUrl: [first.url, second.url] });
  for (const [plane, retryAfter] of [
    [first, 3600],
    [second, 0.3],
  ] as const) {
    const { socket } = await plane.connection(0);
    socket.send(JSON.stringify({ type: 'drain', payload: JSON.stringify({ reason: 'test', retryAfter }) }));
    socket.close(1001);
  }
  const closed = performance.now();
  await second.connection(1);
  // a random part of the time again: half of it, as the tests' random numbers are 0.5
  t.true((second.attempts[1]?.time ?? 0) - closed > 400);
  t.is(first.attempts.length, 1);
});

const logOf = (line: string) => ({
  resource: { apiVersion: 'batch/v1', kind: 'Job', namespace: 'default', name: 'load' },
  ...{ event: 'pre-install' as const, pod: 'load-1', container: 'main', lines: [line] },
});
const logStep = { step: 'pre-hooks', state: 'running', time: '2026-01-01T00:00:00.000Z' } as const;

test('an agent sends logs to a control plane that takes them, without the secrets of the command', async (t) => {
  const plane = await controlPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: plane.url });
  const connection = await plane.connection(0);
  t.deepEqual(payloadOf(await connection.packet('hello'))['packets'], ['log', 'journaled']);
  connection.send({ type: 'welcome', payload: '{"server":"x","version":"1","packets":["log","other"]}' });
  const payload = {
    releaseName: 'web',
    chartName: 'c',
    repoUrl: 'https://charts.example',
    repoPassword: 'hunter2-long',
  };
  connection.send({ key: 'k', type: 'install_release', payload: JSON.stringify(payload) });
  const call = await puppets.call(0);
  call.context.progress({ ...logStep, log: logOf('login hunter2-long') });
  const { step, time } = logStep;
  t.deepEqual(payloadOf(await connection.packet('log', 'k')), { seq: 1, step, time, ...logOf('login ***') });
});

for (const [title, welcome] of [
  ['does not say that it takes them', '{"server":"x","version":"1"}'],
  ['sends no welcome', undefined],
] as const) {
  test(`an agent sends no logs to a control plane that ${title}`, async (t) => {
    const plane = await controlPlane(t);
    const { puppets } = await testAgent(t, { controlPlaneUrl: plane.url });
    const connection = await plane.connection(0);
    if (welcome !== undefined) connection.send({ type: 'welcome', payload: welcome });
    connection.send(install('k'));
    const call = await puppets.call(0);
    call.context.progress({ ...logStep, log: logOf('one') });
    call.succeed();
    await connection.packet('result', 'k');
    t.false(connection.packets.some(({ type }) => type === 'log'));
  });
}

test('an agent drops the oldest logs for a control plane that is away, but no results', async (t) => {
  const plane = await controlPlane(t);
  const { puppets } = await testAgent(t, { controlPlaneUrl: plane.url });
  const first = await plane.connection(0);
  const resume = { epoch: 'e', acknowledged: 0 };
  const welcome = JSON.stringify({ server: 'x', version: '1', packets: ['log'], resume });
  first.send({ type: 'welcome', payload: welcome });
  first.send(install('k'));
  const call = await puppets.call(0);
  first.socket.terminate();
  await first.closed;
  for (let index = 0; index < 100; index++)
    call.context.progress({ ...logStep, log: logOf(`${index} ${'x'.repeat(4000)}`) });
  call.succeed();
  const second = await plane.connection(1);
  second.send({ type: 'welcome', payload: welcome });
  await second.packet('result', 'k');
  const numbers = second.packets.filter(({ type }) => type === 'log').map((packet) => Number(payloadOf(packet)['seq']));
  t.true(numbers.length > 10 && numbers.length < 70, String(numbers.length));
  t.is(numbers.at(-1), 100);
});
