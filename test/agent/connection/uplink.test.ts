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
  const connection = await plane.connection(1);
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
  while (attempts < 7) await sleep(10);
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

test('without a connection, the oldest status packets are dropped, visibly; results are not', async (t) => {
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
  t.true(lines.join('').includes('"dropped":3,'));
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
  while (!lines.join('').includes('token file')) await sleep(5);
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
  while (plane.attempts.length < 2) await sleep(5);
  await agent.stop();
  const attempts = plane.attempts.length;
  await sleep(150);
  t.is(plane.attempts.length, attempts);
});
