import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import type { LeaderPlace } from '../../../src/control-plane/replicas/leader-place.ts';
import { readLeaderPlace } from '../../../src/control-plane/replicas/leader-place.ts';
import { Relay, type RelayOptions } from '../../../src/control-plane/replicas/relay.ts';
import { RelayListener } from '../../../src/control-plane/replicas/relay-listener.ts';
import { recordingLog } from '../../agent/support/log.ts';
import { closing } from '../../support/closing.ts';
import { eventually } from '../../support/eventually.ts';

const secret = 'sentinel-of-the-replicas-of-these-tests';
const randomBytes = (size: number) => crypto.getRandomValues(new Uint8Array(size));

/** Starts a server that says who asks, and what accepts relayed connections for it. */
async function leader(t: ExecutionContext, handshakeMs?: number) {
  const paths: string[] = [];
  const server = createHttpServer((request, response) => {
    paths.push(request.url ?? '');
    response.end(`${request.socket.remoteAddress} ${request.socket.localAddress}`);
  });
  const listener = new RelayListener({
    ...{ server, isEncrypted: false, secret, randomBytes },
    ...(handshakeMs !== undefined && { handshakeMs }),
  });
  const port = await listener.listen(0, '127.0.0.1');
  t.teardown(() => listener.close());
  const open = async () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    let received = '';
    socket.on('data', (bytes) => (received += bytes.toString()));
    await once(socket, 'connect');
    await eventually('the leader has greeted', () => received.includes('\n'));
    return { socket, challenge: received.trim(), received: () => received };
  };
  return { paths, port, open };
}

async function relay(t: ExecutionContext, options: Partial<RelayOptions> = {}) {
  const { log, lines } = recordingLog();
  const started = new Relay({
    ...{ leader: () => undefined, isEncrypted: false, maxConnections: 100, randomBytes, log },
    ...options,
  });
  const port = await started.listen(0, '127.0.0.1');
  t.teardown(() => started.close());
  return { relay: started, port, lines };
}

const ends = { remoteAddress: '10.0.0.7', remotePort: 4000, localAddress: '10.0.0.1' };

/** Returns the line with which a replica that knows the secret names a connection. */
function hello(challenge: string, named: object | null = ends, key = secret): string {
  const nonce = 'a'.repeat(32);
  const mac = createHmac('sha256', key)
    .update(JSON.stringify(['relay', challenge, nonce, named]))
    .digest('hex');
  return `${JSON.stringify({ nonce, ends: named, mac })}\n`;
}

const get = 'GET /secret HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

const refused = test.macro({
  title: (title = '') => `the leader refuses ${title}`,
  async exec(t, write: (socket: Socket, challenge: string) => void) {
    const { open, paths } = await leader(t, 2000);
    const { socket, challenge } = await open();
    const closed = closing(socket);
    write(socket, challenge);
    await closed;
    t.deepEqual(paths, []);
  },
});

test('a wrong secret', refused, (socket, challenge) => socket.write(hello(challenge, ends, 'another') + get));
test('a hello for another challenge', refused, (socket) => socket.write(hello('0'.repeat(32))));
test('a request without a hello', refused, (socket) => socket.write(get));
test('a line that does not end', refused, (socket) => socket.write('x'.repeat(100_000)));
test('a line that arrives slowly', refused, (socket) => socket.write('{'));
test('deep JSON', refused, (socket) => socket.write(`${'['.repeat(400)}\n`));
test('a request beside the hello', refused, (socket, challenge) => socket.write(hello(challenge) + get));
test('a name in place of an address', refused, (socket, challenge) =>
  socket.write(hello(challenge, { ...ends, remoteAddress: 'localhost' })),
);
test('an address with more behind it', refused, (socket, challenge) =>
  socket.write(hello(challenge, { ...ends, remoteAddress: '10.0.0.7\r\nX: y' })),
);
test('a question for a connection', refused, (socket, challenge) => socket.write(hello(challenge, null)));

test('a hello is good for one connection', async (t) => {
  const { open, paths } = await leader(t);
  const first = await open();
  const line = hello(first.challenge);
  first.socket.write(line);
  await eventually('the leader has proved itself', () => first.received().split('\n').length > 2);
  const ended = closing(first.socket);
  first.socket.write(get);
  await ended;
  t.regex(first.received(), /10\.0\.0\.7 10\.0\.0\.1/);
  const second = await open();
  const closed = closing(second.socket);
  second.socket.write(line);
  await closed;
  t.deepEqual(paths, ['/secret']);
});

test('many strangers do not keep a replica out for longer than the time of a handshake', async (t) => {
  const { open, port } = await leader(t, 300);
  await Promise.all(Array.from({ length: 400 }, () => closing(connect(port, '127.0.0.1'))));
  const { socket, challenge, received } = await open();
  socket.write(hello(challenge));
  await eventually('the leader has proved itself', () => received().split('\n').length > 2);
  socket.destroy();
  t.pass();
});

test('a request gets 503 if there is no leader in time', async (t) => {
  const { port } = await relay(t, { waitMs: 50 });
  const response = await fetch(`http://127.0.0.1:${port}/`);
  t.is(response.status, 503);
  t.is(response.headers.get('retry-after'), '1');
});

test('a connection that expects TLS is closed if there is no leader in time', async (t) => {
  const { port } = await relay(t, { waitMs: 50, isEncrypted: true });
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (bytes) => (received += bytes.toString())).write('a client hello');
  await closing(socket);
  t.is(received, '');
});

test('bytes in both directions arrive whole, and a half-closed connection stays open', async (t) => {
  const started = await leader(t);
  const place: LeaderPlace = { host: '127.0.0.1', port: started.port, secret };
  const { port, relay: running } = await relay(t, { leader: () => place });
  await eventually('the leader is reached', () => running.isReady);
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.end(get);
  t.regex(await text(socket), /^HTTP\/1\.1 200 OK\r\n[^]*127\.0\.0\.1 127\.0\.0\.1$/);
});

test('places in the database that are not valid are not used', (t) => {
  const place = { host: '10.0.0.1', port: 8089, secret };
  t.deepEqual(readLeaderPlace(JSON.stringify(place)), place);
  for (const bad of [
    '',
    'null',
    '['.repeat(10_000),
    { ...place, port: 0 },
    { ...place, secret: '' },
    { ...place, host: '' },
    { ...place, secret: 'x'.repeat(1000) },
  ]) {
    t.is(readLeaderPlace(typeof bad === 'string' ? bad : JSON.stringify(bad)), undefined);
  }
});
