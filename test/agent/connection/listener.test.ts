import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { WebSocket, type ClientOptions } from 'ws';
import type { AgentOptions } from '../../../src/agent/agent.ts';
import { MAX_FRAME_BYTES } from '../../../src/protocol/limits.ts';
import type { Packet } from '../../../src/protocol/packet.ts';
import { testAgent } from '../support/agent.ts';
import { install, payloadOf } from '../support/control-plane.ts';

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

/** Offers the subprotocols given; a client of the Go agent's form offers none. */
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

/** The HTTP status with which a handshake is refused. */
async function refusedWith(port: number, options: ClientOptions = {}, path = '/exe-cmd'): Promise<number | undefined> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, [], options);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode?: number }];
  socket.on('error', () => undefined);
  socket.terminate();
  return response.statusCode;
}

test("a client of the Go agent's form gets one reply, of its command's own type", async (t) => {
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
    { key: 'k', type: 'install_release', payload: '{"name":"web"}' },
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

test('each client gets the answers to its own commands only', async (t) => {
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

test('a bad frame is answered, and the connection serves on', async (t) => {
  const { port, puppets } = await listening(t);
  const { socket, send, packet, packets } = await client(port);
  socket.send('no packet');
  await packet(({ type }) => type === '');
  t.deepEqual(packets, [{ type: '', payload: 'packet: not JSON' }]);
  send(install('k'));
  (await puppets.call(0)).succeed();
  t.is((await packet(({ key }) => key === 'k')).type, 'install_release');
});

test('a frame beyond all limits closes its connection with 1009, and no other', async (t) => {
  const { port, puppets } = await listening(t);
  const [one, two] = [await client(port), await client(port)];
  one.socket.on('error', () => undefined);
  one.socket.send('x'.repeat(MAX_FRAME_BYTES + 1));
  t.is((await once(one.socket, 'close'))[0], 1009);
  two.send(install('k'));
  (await puppets.call(0)).succeed();
  t.is((await two.packet(({ key }) => key === 'k')).type, 'install_release');
});

test('an operation goes on where its client leaves, and the same key hears of it again', async (t) => {
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

test('with a token only those who bear it are served, and it stands in no log line', async (t) => {
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

test('a token that cannot be read serves nobody', async (t) => {
  const { port } = await listening(t, { readToken: () => Promise.reject(new Error('gone')) });
  t.is(await refusedWith(port, { headers: { authorization: 'Bearer x' } }), 500);
});

test('without a token no web page is served, since a browser would connect to this machine for any of them', async (t) => {
  const { port } = await listening(t);
  t.is(await refusedWith(port, { origin: 'https://evil.example' }), 403);
});

test('paths other than /exe-cmd are refused', async (t) => {
  const { port } = await listening(t);
  t.is(await refusedWith(port, {}, '/'), 404);
  t.is(await refusedWith(port, {}, '/container/exe-cmd?namespace=a&podName=b&containerName=c'), 501);
});

test('a client that vanishes during the handshake does no harm', async (t) => {
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

test('a client that reads nothing keeps no more than its share of status packets in memory, and gets its result', async (t) => {
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

test('an agent that stops closes its clients with 1001 once they have their results', async (t) => {
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

test('a host that others can reach needs a token, or the explicit wish to go without', async (t) => {
  const everywhere = { host: '0.0.0.0', port: 0 };
  await t.throwsAsync(testAgent(t, { listen: everywhere }), { code: 'insecure_listen', message: /--listen-insecure/ });
  await t.notThrowsAsync(testAgent(t, { listen: everywhere, listenInsecure: true }));
  await t.notThrowsAsync(testAgent(t, { listen: everywhere, readToken: () => Promise.resolve('token') }));
});

test('a port that is taken fails the start', async (t) => {
  const { port } = await listening(t);
  await t.throwsAsync(testAgent(t, { listen: { host: '127.0.0.1', port } }), { code: 'EADDRINUSE' });
});

test('an agent that only listens is ready; one whose control plane is away is alive, and not ready', async (t) => {
  const status = async (port: number, path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  const alone = await listening(t);
  t.is(await status(alone.port, '/readyz'), 200);
  const waiting = await listening(t, { controlPlaneUrl: 'ws://127.0.0.1:9' });
  t.is(await status(waiting.port, '/healthz'), 200);
  t.is(await status(waiting.port, '/readyz'), 503);
  t.is(await status(waiting.port, '/exe-cmd'), 426);
  t.is(await status(waiting.port, '/secret'), 404);
});
