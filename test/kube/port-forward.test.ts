import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { type WebSocket, WebSocketServer } from 'ws';
import { connectCluster } from '../../src/kube/cluster.ts';
import { endless, fakeServer, kubeconfigOf } from './fake-server.ts';

const never = new AbortController().signal;
const target = { namespace: 'shop', name: 'web-0' };
const message = (channel: number, bytes: string | Uint8Array) =>
  Buffer.concat([Buffer.of(channel), Buffer.from(bytes)]);
const port = Buffer.of(80, 0);

/** Starts an API server that has only ports of pods. */
async function api(t: ExecutionContext, serve: (socket: WebSocket, request: IncomingMessage) => void) {
  const server = createServer((_request, response) => response.writeHead(404).end());
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cluster = connectCluster({ text: kubeconfigOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) });
  t.teardown(async () => {
    for (const socket of sockets.clients) socket.terminate();
    server.close();
    await cluster.close();
  });
  return cluster;
}

async function outputOf(connection: { output: () => AsyncIterable<readonly Buffer[]> }): Promise<string> {
  let text = '';
  for await (const parts of connection.output()) text += Buffer.concat(parts).toString('latin1');
  return text;
}

test('carries bytes in both directions, without the number of the port', async (t) => {
  const urls: string[] = [];
  const cluster = await api(t, (socket, { url = '' }) => {
    urls.push(url);
    socket.send(message(0, port.subarray(0, 1)));
    socket.send(message(0, port.subarray(1)));
    socket.send(message(1, port));
    socket.on('message', (data: Buffer) => {
      socket.send(data);
      socket.close();
    });
  });
  const connection = await cluster.forwardPort(target, { port: 80, signal: never });
  await connection.write(Buffer.of(0xff, 0xfe, 0));
  t.is(await outputOf(connection), '\xff\xfe\0');
  await connection.write(Buffer.from('late'));
  t.deepEqual(urls, ['/api/v1/namespaces/shop/pods/web-0/portforward?ports=80']);
});

test('a port on which nothing listens is an error with the text of the kubelet, which is bounded', async (t) => {
  const cluster = await api(t, (socket) => {
    socket.send(message(0, port));
    socket.send(message(1, Buffer.concat([port, Buffer.from('connection refused ')])));
    for (let count = 0; count < 100; count++) socket.send(message(1, 'x'.repeat(1000)));
    socket.close();
  });
  const connection = await cluster.forwardPort(target, { port: 80, signal: never });
  const error = await t.throwsAsync(outputOf(connection), { message: /^port 80 of the pod: connection refused x/ });
  t.true(error.message.length < 5000);
});

test('empty messages, and those of unknown channels, have no bytes', async (t) => {
  const cluster = await api(t, (socket) => {
    socket.send(Buffer.alloc(0));
    socket.send(message(7, 'other'));
    socket.send(message(0, Buffer.concat([port, Buffer.from('a')])));
    socket.close();
  });
  const connection = await cluster.forwardPort(target, { port: 80, signal: never });
  t.is(await outputOf(connection), 'a');
});

test('a refusal is an error, and an abort ends the connection', async (t) => {
  const cluster = await api(t, () => undefined);
  const stop = new AbortController();
  const connection = await cluster.forwardPort(target, { port: 80, signal: stop.signal });
  stop.abort(new Error('stopped'));
  await t.throwsAsync(outputOf(connection), { message: 'stopped' });
  await t.throwsAsync(cluster.forwardPort(target, { port: 80, signal: stop.signal }), { message: 'stopped' });
});

test('a refusal that does not end is an error, too', async (t) => {
  const { cluster } = await fakeServer(t, (_, response) => void endless(response.writeHead(403)));
  await t.throwsAsync(cluster.forwardPort(target, { port: 80, signal: never }), { code: 'forbidden' });
});
