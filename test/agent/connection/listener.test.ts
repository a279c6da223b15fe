import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { type ClientOptions, WebSocket } from 'ws';
import type { AgentOptions } from '../../../src/agent/agent.ts';
import { maxFrameBytes } from '../../../src/protocol/limits.ts';
import type { Packet } from '../../../src/protocol/packet.ts';
import { eventually } from '../../support/eventually.ts';
import { testAgent } from '../support/agent.ts';
import { install, payloadOf } from '../support/control-plane.ts';
import { testRelease } from '../support/release.ts';

async function listening(t: ExecutionContext, options: Partial<AgentOptions> = {}) {
  const started = await testAgent(t, { listen: { host: '127.0.0.1', port: 0 }, ...options });
  return { ...started, port: started.agent.port ?? 0 };
}

interface Client {
  socket: WebSocket;
  packets: Packet[];
  send: (packet: object) => void;
  packet: (fits: (packet: Packet) => boolean) => Promise<Packet>;
}

/** Connects a client that offers the subprotocols. A client of the Go helm-agent offers none. */
async function client(port: number, protocols: string[] = [], options: ClientOptions = {}): Promise<Client> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/exe-cmd`, protocols, options);
  const packets: Packet[] = [];
  socket.on('message', (data: Buffer) => packets.push(JSON.parse(data.toString()) as Packet));
  await once(socket, 'open');
  return {
    socket,
    packets,
    send: (packet) => socket.send(JSON.stringify(packet)),
    async packet(fits) {
      for (;;) {
        const found = packets.find(fits);
        if (found) return found;
        await once(socket, 'message');
      }
    },
  };
}

/** Returns the HTTP status with which a handshake is refused. */
async function refusedWith(port: number, options: ClientOptions = {}, path = '/exe-cmd'): Promise<number | undefined> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, [], options);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode?: number }];
  socket.on('error', () => undefined);
  socket.terminate();
  return response.statusCode;
}

test('the token for the control plane does not open the server for clients', async (t) => {
  const both = { controlPlaneUrl: 'ws://127.0.0.1:9', readToken: () => Promise.resolve('dialled') };
  const { port } = await listening(t, { ...both, readClientToken: () => Promise.resolve('clients') });
  const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  t.is(await refusedWith(port, bearing('dialled')), 401);
  t.is((await client(port, [], bearing('clients'))).socket.readyState, WebSocket.OPEN);
  const everywhere = { host: '0.0.0.0', port: 0 };
  await t.throwsAsync(testAgent(t, { ...both, listen: everywhere }), { code: 'insecure_listen' });
});

test("a client of the Go helm-agent gets one reply, of its command's type", async (t) => {
  const { port, puppets } = await listening(t);
  const { send, packet, packets } = await client(port);
  send(install('k'));
  const call = await puppets.call(0);
  call.report('one');
  call.succeed();
  await packet(({ key }) => key === 'k');
  send({ key: 'd', type: 'deployment_info', payload: '{"namespace":"a","deploymentName":"b"}' });
  (await puppets.call(1)).succeed({ deployment: { kind: 'Deployment' } });
  await packet(({ key }) => key === 'd');
  send({ type: 'list_releases' });
  (await puppets.call(2)).succeed({ releases: [] });
  await packet(({ type }) => type === 'list_releases');
  t.deepEqual(packets, [
    { key: 'k', type: 'install_release', payload: JSON.stringify(testRelease('web')) },
    { key: 'd', type: 'deployment_info', payload: '{"kind":"Deployment"}' },
    { type: 'list_releases', payload: '[]' },
  ]);
});

test('a client that offers the subprotocol gets hello, accepted, status and result', async (t) => {
  const { port, puppets } = await listening(t);
  const { send, packet, packets, socket } = await client(port, ['other', 'helm-agent.v1']);
  t.is(socket.protocol, 'helm-agent.v1');
  send(install('k'));
  const call = await puppets.call(0);
  call.report('one');
  call.succeed();
  await packet(({ type }) => type === 'result');
  t.deepEqual(
    packets.map(({ type }) => type),
    ['hello', 'accepted', 'status', 'result'],
  );
});

test('each client gets only the replies to its own commands', async (t) => {
  const { port, puppets } = await listening(t);
  const [one, two] = [await client(port), await client(port)];
  one.send(install('1', 'a'));
  (await puppets.call(0)).succeed();
  two.send(install('2', 'b'));
  (await puppets.call(1)).succeed();
  await one.packet(({ key }) => key === '1');
  await two.packet(({ key }) => key === '2');
  t.is(one.packets.length, 1);
  t.is(two.packets.length, 1);
});

test('a bad frame gets an error, and the connection stays open', async (t) => {
  const { port, puppets } = await listening(t);
  const { socket, send, packet, packets } = await client(port);
  socket.send('no packet');
  await packet(({ type }) => type === '');
  t.deepEqual(packets, [{ type: '', payload: 'packet: must be JSON text' }]);
  send(install('k'));
  (await puppets.call(0)).succeed();
  t.is((await packet(({ key }) => key === 'k')).type, 'install_release');
});

test('a frame that is too large closes its own connection with 1009', async (t) => {
  const { port, puppets } = await listening(t);
  const [one, two] = [await client(port), await client(port)];
  one.socket.on('error', () => undefined);
  one.socket.send('x'.repeat(maxFrameBytes + 1));
  t.is((await once(one.socket, 'close'))[0], 1009);
  two.send(install('k'));
  (await puppets.call(0)).succeed();
  t.is((await two.packet(({ key }) => key === 'k')).type, 'install_release');
});

test('an operation continues when its client leaves, and its key gets the result later', async (t) => {
  const { port, puppets } = await listening(t);
  const one = await client(port, ['helm-agent.v1']);
  one.send(install('k'));
  const call = await puppets.call(0);
  one.socket.terminate();
  await sleep(50);
  t.false(call.context.signal.aborted);
  const two = await client(port, ['helm-agent.v1']);
  two.send(install('k'));
  call.succeed();
  t.true(payloadOf(await two.packet(({ type }) => type === 'result'))['ok']);
  t.is(puppets.calls.length, 1);
});

test('serves only clients with the token, and does not log it', async (t) => {
  const { port, lines } = await listening(t, { readToken: () => Promise.resolve('sentinel-token') });
  t.is(await refusedWith(port), 401);
  t.is(await refusedWith(port, { headers: { authorization: 'Bearer sentinel-tokem' } }), 401);
  t.is(await refusedWith(port, { headers: { authorization: 'Bearer ' } }), 401);
  t.is(await refusedWith(port, { headers: { authorization: 'Basic sentinel-token' } }), 401);
  const { socket } = await client(port, [], { headers: { authorization: 'bearer sentinel-token' } });
  t.is(socket.readyState, WebSocket.OPEN);
  t.true(lines.join('').includes('401'));
  t.false(lines.join('').includes('sentinel'));
});

test('refuses every client if the token cannot be read', async (t) => {
  const { port } = await listening(t, { readToken: () => Promise.reject(new Error('gone')) });
  t.is(await refusedWith(port, { headers: { authorization: 'Bearer x' } }), 500);
});

test('refuses clients that name another host if there is no token', async (t) => {
  const { port } = await listening(t);
  t.is(await refusedWith(port, { headers: { host: 'evil.example' } }), 403);
  const other = await listening(t, { readToken: () => Promise.resolve('token') });
  const headers = { host: 'agent.example', authorization: 'Bearer token' };
  t.is((await client(other.port, [], { headers })).socket.readyState, WebSocket.OPEN);
});

test('an empty token is an error at the start, and opens nothing later', async (t) => {
  await t.throwsAsync(listening(t, { readToken: () => Promise.resolve('') }), { code: 'token_unreadable' });
  let token = 'token';
  const { port } = await listening(t, { readToken: () => Promise.resolve(token) });
  token = '';
  t.is(await refusedWith(port), 401);
  t.is(await refusedWith(port, { headers: { authorization: 'Bearer ' } }), 401);
});

test('closes the connection of a client that sends too many bad packets', async (t) => {
  const { port } = await listening(t);
  const { socket } = await client(port);
  const closed = once(socket, 'close');
  for (let index = 0; index <= 100; index++) socket.send('{');
  t.is((await closed)[0], 4400);
});

test('closes the connection of a client that does not read its replies', async (t) => {
  const { port, lines } = await listening(t);
  const { socket, send } = await client(port);
  socket.pause();
  for (let index = 0; index < 21_000; index++) send({ key: String(index), type: 'list_releases' });
  const isClosed = () => lines.join('').includes('does not read its replies');
  await t.notThrowsAsync(eventually('the connection is closed', isClosed));
});

test('refuses web pages if there is no token, because any of them could connect through a browser', async (t) => {
  const { port } = await listening(t);
  t.is(await refusedWith(port, { origin: 'https://evil.example' }), 403);
});

test('refuses other paths than /exe-cmd', async (t) => {
  const { port } = await listening(t);
  t.is(await refusedWith(port, {}, '/'), 404);
  t.is(await refusedWith(port, {}, '/container/exe-cmd?namespace=a&podName=b&containerName=c'), 501);
});

test('survives a client that goes away during the handshake', async (t) => {
  const { port } = await listening(t, { readToken: () => sleep(20, 'token') });
  const socket = connect(port, '127.0.0.1');
  socket.write(
    'GET /exe-cmd HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer token\r\n\r\n',
  );
  await sleep(10);
  socket.resetAndDestroy();
  await sleep(30);
  const { socket: next } = await client(port, [], { headers: { authorization: 'Bearer token' } });
  t.is(next.readyState, WebSocket.OPEN);
});

test('keeps a limited number of status packets for a client that does not read, and its result', async (t) => {
  const { port, puppets } = await listening(t);
  const { send, packet, packets, socket } = await client(port, ['helm-agent.v1']);
  send(install('k'));
  const call = await puppets.call(0);
  socket.pause();
  for (let i = 0; i < 3000; i++) call.report('x'.repeat(10_000));
  call.succeed();
  await sleep(50);
  socket.resume();
  await packet(({ type }) => type === 'result');
  const statuses = packets.filter(({ type }) => type === 'status').map(payloadOf);
  t.true(statuses.length < 2500);
  t.is(statuses.at(-1)?.['seq'], 3000);
});

test('an agent that stops closes its clients with 1001 when they have their results', async (t) => {
  const { port, puppets, agent } = await listening(t);
  const { send, packet, socket } = await client(port, ['helm-agent.v1']);
  const closed = once(socket, 'close');
  send(install('k'));
  const call = await puppets.call(0);
  call.context.signal.addEventListener('abort', () => call.fail(call.context.signal.reason));
  await agent.stop();
  t.like(payloadOf(await packet(({ type }) => type === 'result')), { ok: false, error: { code: 'cancelled' } });
  t.is((await closed)[0], 1001);
  await t.throwsAsync(client(port));
});

test('refuses to listen on a host that other machines can reach, unless there is a token or --listen-insecure', async (t) => {
  const everywhere = { host: '0.0.0.0', port: 0 };
  await t.throwsAsync(testAgent(t, { listen: everywhere }), { code: 'insecure_listen', message: /--listen-insecure/ });
  await t.notThrowsAsync(testAgent(t, { listen: everywhere, listenInsecure: true }));
  await t.notThrowsAsync(testAgent(t, { listen: everywhere, readToken: () => Promise.resolve('token') }));
});

test('does not start if the port is in use', async (t) => {
  const { port } = await listening(t);
  await t.throwsAsync(testAgent(t, { listen: { host: '127.0.0.1', port } }), { code: 'EADDRINUSE' });
});

test('an agent that only listens is ready; one that cannot reach its control plane is alive but not ready', async (t) => {
  const status = async (port: number, path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  const alone = await listening(t);
  t.is(await status(alone.port, '/readyz'), 200);
  const waiting = await listening(t, { controlPlaneUrl: 'ws://127.0.0.1:9' });
  t.is(await status(waiting.port, '/healthz'), 200);
  t.is(await status(waiting.port, '/readyz'), 503);
  t.is(await status(waiting.port, '/exe-cmd'), 426);
  t.is(await status(waiting.port, '/secret'), 404);
  t.is((await fetch(`http://127.0.0.1:${waiting.port}/healthz`)).headers.get('connection'), 'close');
});
