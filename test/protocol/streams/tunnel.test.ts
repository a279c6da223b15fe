import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import {
  decodeStreamFrame,
  encodeStreamFrame,
  maxDataBytes,
  type StreamFrame,
} from '../../../src/protocol/streams/frame.ts';
import { StreamError } from '../../../src/protocol/streams/stream-error.ts';
import { type AcceptStream, maxStreams, Tunnel, type TunnelSocket } from '../../../src/protocol/streams/tunnel.ts';
import { type TunnelStream, windowBytes } from '../../../src/protocol/streams/tunnel-stream.ts';

/** A socket that writes a frame when a test calls `write`. */
class SlowSocket implements TunnelSocket {
  // eslint-disable-next-line @typescript-eslint/naming-convention -- as WebSocket has it
  readonly OPEN = 1;
  readyState = 1;
  /** Everything that was sent, in its order. */
  readonly sent: StreamFrame[] = [];
  readonly #unwritten: { frame: Buffer; done: () => void }[] = [];
  #peer: (frame: Buffer) => void = () => undefined;

  connect(peer: (frame: Buffer) => void): void {
    this.#peer = peer;
  }

  send(frame: Buffer, done: () => void): void {
    const bytes = Buffer.from(frame); // as its memory is used again
    this.sent.push(decodeStreamFrame(bytes));
    this.#unwritten.push({ frame: bytes, done });
  }

  /** Number of frames that are not written yet. */
  get waiting(): number {
    return this.#unwritten.length;
  }

  /** Delivers the oldest frame. Returns false if there is none. */
  write(): boolean {
    const next = this.#unwritten.shift();
    if (!next) return false;
    this.#peer(next.frame);
    next.done();
    return true;
  }
}

/** Returns the two ends of a connection. */
function connection(accept?: AcceptStream) {
  const sockets = { agent: new SlowSocket(), plane: new SlowSocket() };
  const agent = new Tunnel(sockets.agent, { end: 'agent' });
  const plane = new Tunnel(sockets.plane, { end: 'control-plane', ...(accept && { accept }) });
  sockets.agent.connect((frame) => plane.receive(frame));
  sockets.plane.connect((frame) => agent.receive(frame));
  return { agent, plane, sockets };
}

type Connection = ReturnType<typeof connection>;

/** Delivers frames until both ends have nothing more to send. */
async function settle({ sockets }: Connection): Promise<void> {
  for (let idle = 0; idle < 5; idle++) {
    await new Promise((resolve) => setImmediate(resolve));
    while (sockets.agent.write() || sockets.plane.write()) idle = 0;
  }
}

async function delivered<Value>(both: Connection, result: Promise<Value>): Promise<Value> {
  const running = new Set<unknown>([result]);
  const done = result.finally(() => running.clear());
  done.catch(() => undefined);
  while (running.size > 0) await settle(both);
  return done;
}

const dataIds = ({ sent }: SlowSocket) => sent.flatMap(({ type, id }) => (type === 'data' ? [id] : []));

test('what one end writes, the other one reads, in both directions', async (t) => {
  const headers: unknown[] = [];
  const both = connection((header, stream) => {
    headers.push(header);
    stream.pipe(stream);
  });
  const stream = both.agent.open({ kind: 'echo' });
  const bytes = randomBytes(3 * windowBytes + 17);
  stream.end(bytes);
  t.true((await delivered(both, buffer(stream))).equals(bytes));
  await settle(both);
  t.deepEqual(headers, [{ kind: 'echo' }]);
  t.deepEqual(both.sockets.agent.sent.at(0), { type: 'open', id: 1, header: { kind: 'echo' } });
});

test('an end sends as many bytes as the other end has room for', async (t) => {
  let accepted: TunnelStream | undefined;
  const both = connection((_header, stream) => (accepted = stream));
  const stream = both.agent.open({ kind: 'sink' });
  stream.end(randomBytes(4 * windowBytes));
  await settle(both);
  t.deepEqual(dataIds(both.sockets.agent), [], 'nothing before the other end reads');
  accepted?.read(1);
  await settle(both);
  t.is(dataIds(both.sockets.agent).length * maxDataBytes, windowBytes);
  t.is(accepted?.readableLength, windowBytes);
  accepted?.read(windowBytes / 2);
  await settle(both);
  t.is(dataIds(both.sockets.agent).length * maxDataBytes, 1.5 * windowBytes);
  t.is(accepted?.readableLength, windowBytes);
});

test('what waits is read by frame, and small frames together', (t) => {
  const received: TunnelStream[] = [];
  const { plane } = connection((_header, stream) => received.push(stream));
  plane.receive(opened);
  const [stream] = received;
  t.is(stream?.read(), null); // gives credit
  for (const length of [maxDataBytes, 0, 100, 200, maxDataBytes, maxDataBytes - 1, 1, 1]) {
    plane.receive(head(2, 1, Buffer.alloc(length)));
  }
  const lengths = () => (stream?.read() as Buffer | null)?.length; // it has no encoding
  t.is(lengths(), maxDataBytes);
  t.is((stream?.read(40) as Buffer).length, 40);
  t.is(lengths(), 260);
  plane.receive(head(2, 1, Buffer.alloc(7)));
  t.deepEqual([lengths(), lengths(), lengths(), lengths()], [maxDataBytes, maxDataBytes, 8, undefined]);
});

test('what a listener has got does not wait any more', (t) => {
  const received: TunnelStream[] = [];
  const { plane } = connection((_header, stream) => received.push(stream));
  plane.receive(opened);
  const [stream] = received;
  t.is(stream?.read(), null); // gives credit
  const got: number[] = [];
  stream?.on('data', (chunk: Buffer) => got.push(chunk.length)).resume();
  for (const length of [maxDataBytes, 100]) plane.receive(head(2, 1, Buffer.alloc(length)));
  stream?.pause();
  plane.receive(head(2, 1, Buffer.alloc(7)));
  t.is((stream?.read() as Buffer | null)?.length, 7);
  t.deepEqual(got, [maxDataBytes, 100, 7]);
});

test('streams take turns, and a packet waits for at most one frame', async (t) => {
  const both = connection((_header, stream) => stream.resume());
  const streams = [1, 2, 3].map(() => both.agent.open({ kind: 'sink' }));
  const length = windowBytes / maxDataBytes;
  for (const stream of streams) stream.end(randomBytes(windowBytes));
  const { agent } = both.sockets;
  for (let turn = 0; agent.sent.length < 12; turn++) {
    both.sockets.plane.write();
    agent.write();
    await new Promise((resolve) => setImmediate(resolve));
  }
  t.is(agent.waiting, 1, 'before a packet that is sent now');
  await settle(both);
  const ids = dataIds(agent);
  t.is(ids.length, 3 * length);
  for (let start = 3; start < ids.length - 3; start += 3) {
    t.deepEqual(ids.slice(start, start + 3).sort(), [1, 3, 5], `frames from ${start} on`);
  }
});

test('a stream that is destroyed is reset at the other end', async (t) => {
  const both = connection((_header, stream) => {
    stream.destroy(Object.assign(new Error('no such chart'), { code: 'chart_not_found' }));
  });
  const stream = both.agent.open({ kind: 'chart' });
  const error = await delivered(both, t.throwsAsync(buffer(stream), { instanceOf: StreamError }));
  t.like(error, { kind: 'reset', message: 'no such chart', code: 'chart_not_found' });
  t.is(both.sockets.agent.sent.length, 2, 'a reset is not replied to');
});

test('a stream of an unknown kind is reset', async (t) => {
  const both = connection();
  const error = await delivered(both, t.throwsAsync(buffer(both.agent.open({ kind: 'tea' }))));
  t.like(error, { kind: 'reset', code: 'unsupported' });
});

test('a lost connection ends all streams, and those that are opened later', async (t) => {
  const { agent } = connection();
  const open = buffer(agent.open({ kind: 'a' }));
  agent.close();
  t.like(await t.throwsAsync(open), { kind: 'disconnected' });
  t.like(await t.throwsAsync(buffer(agent.open({ kind: 'b' }))), { kind: 'disconnected' });
});

test('the other end can open a limited number of streams at a time', async (t) => {
  const accepted: TunnelStream[] = [];
  const both = connection((_header, stream) => accepted.push(stream));
  const streams = Array.from({ length: maxStreams }, () => both.agent.open({ kind: 'a' }));
  const refused = await delivered(both, t.throwsAsync(buffer(both.agent.open({ kind: 'a' }))));
  t.like(refused, { kind: 'reset', code: 'busy' });
  accepted[0]?.on('error', () => undefined).destroy();
  streams[0]?.on('error', () => undefined);
  await settle(both);
  both.agent.open({ kind: 'b' });
  await settle(both);
  t.is(accepted.length, maxStreams + 1);
});

const head = (type: number, id: number, body: Buffer | string = '') => {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt8(type);
  bytes.writeUInt32BE(id, 1);
  return Buffer.concat([bytes, Buffer.from(body)]);
};

const violates = test.macro((t, frames: readonly Buffer[], message: string | RegExp) => {
  const { plane } = connection(() => undefined);
  for (const frame of frames.slice(0, -1)) plane.receive(frame);
  const last = frames.at(-1) ?? Buffer.alloc(0);
  const error = t.throws(() => plane.receive(last), { instanceOf: StreamError, message });
  t.is(error.kind, 'protocol');
});

const opened = head(1, 1, '{"kind":"a"}');
test('a frame must have a head', violates, [Buffer.from('123')], 'binary frame: it is too short');
test('a frame must have a known type', violates, [head(9, 1)], 'binary frame: its type is unknown');
test('a header must be JSON', violates, [head(1, 1, '{')], 'binary frame: must be JSON text');
test('a reset must be complete', violates, [opened, head(5, 1, '{}')], /a reset must have a code/);
test('a credit must have 4 bytes', violates, [opened, head(3, 1, 'abc')], 'binary frame: a credit must have 4 bytes');
test('data must be short', violates, [opened, head(2, 1, Buffer.alloc(70_000))], /more than 65536 bytes of data/);
test('data must be allowed', violates, [opened, head(2, 1, 'abc')], 'a stream sent more than allowed');
test('a stream must be open', violates, [head(4, 1)], 'a stream must be opened before it is used');
test('an own stream must be open', violates, [head(4, 2)], 'a stream must be opened before it is used');
test('an id must be new', violates, [opened, opened], 'the id of a stream is not a new one');
test('an id must belong to its end', violates, [head(1, 2, '{}')], 'the id of a stream is not a new one');

/** The end of a control plane that accepts all streams, and what it sent to an agent. */
function served(accept: AcceptStream) {
  const socket = new SlowSocket();
  const tunnel = new Tunnel(socket, { end: 'control-plane', accept });
  const receive = (frame: StreamFrame) => tunnel.receive(encodeStreamFrame(frame));
  return { socket, receive };
}

test('an end that opens 100 streams in vain at once breaks the rules', (t) => {
  const { socket, receive } = served((_header, stream) => stream.destroy(new Error('unknown')));
  const open = (count: number) => receive({ type: 'open', id: 2 * count + 1, header: { kind: 'x' } });
  for (let count = 0; count < 100; count++) open(count);
  t.throws(() => open(100), { instanceOf: StreamError, message: /too many streams were opened in vain/ });
  t.true(socket.sent.length <= 101);
});

/** Opens and resets streams, with data between that, if any is given. */
function openAndReset(accept: AcceptStream, bytes?: Buffer) {
  const { receive } = served(accept);
  return (count: number) => {
    const id = 2 * count + 1;
    receive({ type: 'open', id, header: { kind: 'x' } });
    if (bytes) receive({ type: 'data', id, bytes });
    receive({ type: 'reset', id, code: 'c', message: '' });
  };
}

for (const bytes of [undefined, Buffer.alloc(0)]) {
  test(`an end that resets 100 of its streams at once breaks the rules, with ${bytes ? 'empty' : 'no'} data`, (t) => {
    const once = openAndReset((_header, stream) => stream.resume(), bytes);
    for (let count = 0; count < 100; count++) once(count);
    t.throws(() => once(100), { message: /in vain/ });
  });
}

test('an end may reset any number of streams that have had bytes', (t) => {
  const once = openAndReset((_header, stream) => stream.read(), Buffer.from('x'));
  t.notThrows(() => {
    for (let count = 0; count < 1000; count++) once(count);
  });
});

test('an end that does not read what its streams cause breaks the rules', async (t) => {
  const { socket, receive } = served((_header, stream) => stream.resume().end());
  const openAndEnd = async (count: number) => {
    receive({ type: 'open', id: 2 * count + 1, header: { kind: 'x' } });
    receive({ type: 'end', id: 2 * count + 1 });
    await new Promise((resolve) => setImmediate(resolve));
  };
  const flood = async () => {
    for (let count = 0; count < 2000; count++) await openAndEnd(count);
  };
  await t.throwsAsync(flood(), { message: /wait to be read/ });
  t.true(socket.waiting < 1100);
});
