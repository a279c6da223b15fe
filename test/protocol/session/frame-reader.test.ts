import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { FrameReader, type ReadableSocket } from '../../../src/protocol/session/frame-reader.ts';
import { FrameTurns } from '../../../src/protocol/session/frame-turns.ts';

/** Occupies the event loop for longer than one turn may. */
function work(): void {
  const end = performance.now() + 30;
  while (performance.now() < end);
}

class FakeSocket extends EventEmitter {
  // eslint-disable-next-line @typescript-eslint/naming-convention -- as WebSocket has it
  readonly OPEN = 1;
  readyState = 1;
  isPaused = false;

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  receive(text: string): void {
    this.emit('message', Buffer.from(text), false);
  }

  close(): void {
    this.readyState = 3;
    this.emit('close', 1000, Buffer.from(''));
  }
}

function reading(turns: FrameTurns, onFrame: (text: string) => void = () => undefined) {
  const socket = new FakeSocket();
  const seen: string[] = [];
  const reader = new FrameReader(socket as unknown as ReadableSocket, {
    turns,
    onFrame: (frame) => {
      seen.push(frame.toString());
      onFrame(frame.toString());
    },
    onClose: (code) => seen.push(`closed ${code}`),
  });
  return { socket, seen, reader };
}

test('frames are handled at once as long as the turn lasts', (t) => {
  const { socket, seen } = reading(new FrameTurns());
  for (const frame of ['a', 'b', 'c']) socket.receive(frame);
  t.deepEqual(seen, ['a', 'b', 'c']);
  t.false(socket.isPaused);
});

test('frames beyond a turn wait in their order, and the socket is not read meanwhile', async (t) => {
  const { socket, seen } = reading(new FrameTurns(), work);
  for (const frame of ['a', 'b', 'c', 'd']) socket.receive(frame);
  socket.close();
  t.deepEqual(seen, ['a']);
  t.true(socket.isPaused);
  await turn();
  t.deepEqual(seen, ['a', 'b']);
  while (socket.isPaused) await turn();
  t.deepEqual(seen, ['a', 'b', 'c', 'd', 'closed 1000']);
});

test('connections take turns with their frames', async (t) => {
  const turns = new FrameTurns();
  const flood = reading(turns, work);
  const other = reading(turns);
  for (let count = 0; count < 10; count++) flood.socket.receive('flood');
  other.socket.receive('other');
  for (let count = 0; count < 3; count++) await turn();
  t.deepEqual(other.seen, ['other']);
  t.true(flood.seen.length < 6);
});

test('pings count as frames', (t) => {
  const turns = new FrameTurns();
  t.false(turns.isOver);
  work();
  const { socket } = reading(turns);
  socket.emit('ping', Buffer.from(''));
  t.true(socket.isPaused);
});

test('a reader that is stopped handles no further frames', async (t) => {
  const { socket, seen, reader } = reading(new FrameTurns(), work);
  for (const frame of ['a', 'b', 'c']) socket.receive(frame);
  reader.stop();
  socket.receive('d');
  socket.close();
  while (socket.isPaused) await turn();
  t.deepEqual(seen, ['a', 'closed 1000']);
});

test('a socket is read again when all holds are released', (t) => {
  const { socket, reader } = reading(new FrameTurns());
  const [first, second] = [reader.hold(), reader.hold()];
  first();
  first();
  t.true(socket.isPaused);
  second();
  t.false(socket.isPaused);
});
