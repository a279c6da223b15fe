import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { type WebSocket, WebSocketServer } from 'ws';
import { connectCluster } from '../../src/kube/cluster.ts';
import type { ProcessOutput } from '../../src/objects/cluster.ts';
import { kubeconfigOf } from './fake-server.ts';

const never = new AbortController().signal;
const target = { namespace: 'shop', name: 'web-0', container: 'app' };
const success = { status: 'Success' };
const exited = (code: string) => ({
  status: 'Failure',
  reason: 'NonZeroExitCode',
  message: `command terminated with exit code ${code}`,
  details: { causes: [{ reason: 'ExitCode', message: code }] },
});
const message = (channel: number, bytes: string | Uint8Array) =>
  Buffer.concat([Buffer.of(channel), Buffer.from(bytes)]);
const status = (fields: object) => message(3, JSON.stringify(fields));

interface Api {
  /** The subprotocols that the API server knows. Default: both. */
  known?: readonly string[];
  /** Serves a process. */
  serve: (socket: WebSocket, request: IncomingMessage) => void;
}

/** Starts an API server that has only processes. */
async function api(t: ExecutionContext, { known = ['v5.channel.k8s.io', 'v4.channel.k8s.io'], serve }: Api) {
  const server = createServer((_request, response) => response.writeHead(404).end());
  const sockets = new WebSocketServer({
    server,
    handleProtocols: (offered) => known.find((name) => offered.has(name)) ?? false,
  });
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

const options = { command: ['tar', 'x y'], input: true, tty: false, signal: never };

async function outputOf(process: { output: () => AsyncIterable<ProcessOutput> }) {
  const parts: Array<[string, string]> = [];
  for await (const one of process.output()) parts.push([one.from, Buffer.concat(one.parts).toString('latin1')]);
  return parts;
}

test('starts a process, and reads what it writes and its exit code', async (t) => {
  const urls: string[] = [];
  const cluster = await api(t, {
    serve(socket, { url = '' }) {
      urls.push(url);
      for (const part of [message(1, ''), message(1, Buffer.of(0xff, 0xfe)), message(2, 'no')]) socket.send(part);
      socket.send(status(exited('42')));
      socket.close();
    },
  });
  const process = await cluster.exec(target, options);
  t.deepEqual(await outputOf(process), [
    ['output', '\xff\xfe'],
    ['error', 'no'],
  ]);
  t.is(process.exitCode, 42);
  t.deepEqual(urls, [
    '/api/v1/namespaces/shop/pods/web-0/exec?command=tar&command=x+y&stdin=true&stdout=true&stderr=true&tty=false&container=app',
  ]);
});

test('sends input, sizes, and the end of the input', async (t) => {
  const received: string[] = [];
  const cluster = await api(t, {
    serve(socket) {
      socket.on('message', (data: Buffer) => {
        received.push(data.toString('latin1'));
        if (data[0] !== 255) return;
        socket.send(status(success));
        socket.close();
      });
    },
  });
  const process = await cluster.exec(target, options);
  await process.resize({ columns: 80, rows: 24 });
  await process.write(Buffer.of(0, 0xff));
  await process.endInput();
  t.deepEqual(await outputOf(process), []);
  t.is(process.exitCode, 0);
  t.deepEqual(received, ['\x04{"Width":80,"Height":24}', '\x00\x00\xff', '\xff\x00']);
});

test('an older API server cannot end the input', async (t) => {
  const cluster = await api(t, { known: ['v4.channel.k8s.io'], serve: () => undefined });
  const process = await cluster.exec(target, options);
  await t.throwsAsync(process.endInput(), { code: 'bad_request', message: /it needs Kubernetes 1\.30/ });
  process.close();
});

const noExitCode = test.macro({
  title: (title = '') => `has no exit code for ${title}`,
  async exec(t, last: Buffer, expected: RegExp) {
    const cluster = await api(t, {
      serve(socket) {
        socket.send(last);
        socket.close();
      },
    });
    const process = await cluster.exec(target, options);
    await outputOf(process);
    t.throws(() => process.exitCode, { code: 'bad_request', message: expected });
  },
});

test(
  'a program that does not exist',
  noExitCode,
  status({ status: 'Failure', message: 'no such file' }),
  /no such file/,
);
test('a status that is not JSON', noExitCode, message(3, '{"status'), /could not be run: \{"status/);
test('a status that is no object', noExitCode, message(3, '7'), /it has no message/);
test('an exit code that is no number', noExitCode, status(exited('-1; x')), /exit code -1; x/);
test('an exit code of many digits', noExitCode, status(exited('1'.repeat(5000))), /exit code 1+/);

test('a connection that is lost before the status is an error', async (t) => {
  const cluster = await api(t, {
    serve(socket) {
      socket.send(message(1, 'half'));
      setTimeout(() => socket.terminate(), 50);
    },
  });
  const process = await cluster.exec(target, options);
  await t.throwsAsync(outputOf(process), { code: 'unreachable' });
});

test('a message that is too long ends the process', async (t) => {
  const cluster = await api(t, { serve: (socket) => socket.send(Buffer.alloc(5 * 1024 * 1024, 1)) });
  await t.throwsAsync(outputOf(await cluster.exec(target, options)), { code: 'unreachable' });
});

test('a signal ends the connection', async (t) => {
  const stop = new AbortController();
  const closed = Promise.withResolvers<undefined>();
  const cluster = await api(t, { serve: (socket) => socket.on('close', () => closed.resolve(undefined)) });
  const process = await cluster.exec(target, { ...options, signal: stop.signal });
  stop.abort(new Error('enough'));
  await t.throwsAsync(outputOf(process), { message: 'enough' });
  await closed.promise;
});

test('the API server refuses a process, with the identity of the account that asks', async (t) => {
  const users: unknown[] = [];
  const server = createServer();
  server.on('upgrade', ({ headers }, socket) => {
    users.push(headers['impersonate-user']);
    const body = JSON.stringify({
      kind: 'Status',
      code: 403,
      reason: 'Forbidden',
      message: 'pods "web-0" is forbidden',
    });
    socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cluster = connectCluster({ text: kubeconfigOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) });
  t.teardown(async () => {
    server.close();
    await cluster.close();
  });
  const refusal = { code: 'forbidden', message: 'pods "web-0" is forbidden' };
  await t.throwsAsync(cluster.as('shop/deployer').exec(target, options), refusal);
  await t.throwsAsync(cluster.exec(target, options), refusal);
  t.deepEqual(users, ['system:serviceaccount:shop:deployer', undefined]);
});

test('names that are not one segment of a path are refused before a request', async (t) => {
  const cluster = await api(t, { serve: () => t.fail() });
  for (const name of ['../secrets', 'a/b', '..', 'a%2fb']) {
    await t.throwsAsync(cluster.exec({ ...target, name }, options), { code: 'invalid_name' });
    await t.throwsAsync(cluster.exec({ ...target, namespace: name }, options), { code: 'invalid_name' });
  }
});
