import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { WebSocket, WebSocketServer } from 'ws';
import { messageBatches } from '../../src/net/message-batches.ts';
import { maskOptions } from '../../src/net/websocket-mask.ts';
import { eventually } from '../support/eventually.ts';

/** Returns a socket, and its peer, which is a server. */
async function pair(t: ExecutionContext) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const accepted = once(server, 'connection') as Promise<[WebSocket]>;
  await once(server, 'listening');
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    perMessageDeflate: false,
  });
  const batches = messageBatches(socket);
  const [peer] = await accepted;
  t.teardown(() => {
    socket.terminate();
    server.close();
  });
  return { socket, peer, batches };
}

test('messages that arrive together are yielded together, in their order, up to the end', async (t) => {
  const { peer, batches } = await pair(t);
  for (let index = 0; index < 1000; index++) peer.send(index % 2 === 0 ? String(index) : Buffer.from(String(index)));
  peer.close();
  const received: string[] = [];
  let steps = 0;
  for await (const batch of batches) {
    steps++;
    received.push(...batch.map(({ data, isBinary }) => `${data.toString()}${isBinary ? 'b' : ''}`));
  }
  t.deepEqual(
    received,
    Array.from({ length: 1000 }, (_, index) => `${index}${index % 2 === 0 ? '' : 'b'}`),
  );
  t.true(steps < 500);
});

test('a reader that is slow holds 128 KiB and one message, and the socket is not read', async (t) => {
  const { socket, peer, batches } = await pair(t);
  const message = Buffer.alloc(32 * 1024);
  const reader = batches[Symbol.asyncIterator]();
  peer.send(message);
  await reader.next();
  let sent = 0;
  for (; sent < 1000; sent++) peer.send(message);
  await eventually('the socket is paused', () => socket.isPaused);
  const held = await reader.next();
  t.true((held.value as unknown[]).length <= 8);
  let received = (held.value as unknown[]).length;
  while (received < sent) received += ((await reader.next()).value as unknown[]).length;
  t.is(received, sent);
});

test('what has arrived is yielded before the error of a socket', async (t) => {
  const { socket, peer, batches } = await pair(t);
  const arrived = once(socket, 'message');
  peer.send('last');
  await arrived;
  socket.emit('error', new Error('broken'));
  const reader = batches[Symbol.asyncIterator]();
  const { value } = (await reader.next()) as { value: { data: Buffer }[] };
  t.is(value[0]?.data.toString(), 'last');
  await t.throwsAsync(reader.next(), { message: 'broken' });
});

test('only plain connections to other machines have random masks', (t) => {
  const mask = Buffer.from('abcd');
  for (const url of ['wss://hub.example', 'ws://127.0.0.1:8080', 'ws://[::1]/', new URL('wss://10.0.0.1/exec')]) {
    maskOptions(url).generateMask?.(mask.fill(1));
    t.deepEqual([...mask], [0, 0, 0, 0], String(url));
  }
  for (const url of ['ws://hub.example', 'ws://10.0.0.1', 'ws://127.0.0.1.evil.example'])
    t.deepEqual(maskOptions(url), {});
});
