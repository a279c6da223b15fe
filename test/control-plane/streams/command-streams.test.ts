import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Duplex, PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { commandStreams } from '../../../src/agent/command-stream.ts';
import type { CommandContext } from '../../../src/agent/commands/command-handler.ts';
import { TunnelSource } from '../../../src/agent/connection/tunnel-source.ts';
import type { AuditEntry } from '../../../src/control-plane/audit/audit-entry.ts';
import { controlPlaneFor } from '../../../src/control-plane/control-plane-for.ts';
import type { ControlPlaneOptions } from '../../../src/control-plane/index.ts';
import { CommandStreams } from '../../../src/control-plane/streams/command-streams.ts';
import { maxSessionMessageBytes } from '../../../src/control-plane/streams/session-socket.ts';
import { codeOf } from '../../../src/errors/index.ts';
import { defineCommand } from '../../../src/protocol/commands/definition.ts';
import { createCommandTable } from '../../../src/protocol/commands/table.ts';
import {
  channels,
  encodeMessage,
  maxControlBytes,
  messagesOf,
  writeMessages,
} from '../../../src/protocol/streams/messages.ts';
import { windowBytes } from '../../../src/protocol/streams/tunnel-stream.ts';
import { testAgent } from '../../agent/support/agent.ts';
import { eventually } from '../../support/eventually.ts';
import { frameRelay } from '../support/frame-relay.ts';
import { rawAgent } from '../support/raw-agent.ts';

const definition = (stream: 'readable' | 'duplex' | undefined, method: string) =>
  defineCommand({
    summary: 'Has a stream.',
    method,
    fields: {},
    answer: z.object({ done: z.string() }),
    plainField: 'done',
    changes: () => undefined,
    right: 'read',
    ...(stream && { stream }),
    survives: false,
  });

const table = createCommandTable({
  read: definition('readable', 'read'),
  talk: definition('duplex', 'talk'),
  fail: definition('duplex', 'fail'),
  plain: definition(undefined, 'plain'),
});

type Perform = (stream: Duplex, context: CommandContext) => Promise<void>;

interface WorldOptions extends ControlPlaneOptions {
  /** Cuts the agent's connection when it is called. */
  relayed?: boolean;
}

/** A control plane, and an agent whose commands do what a test says with their streams. */
async function world(t: ExecutionContext, perform: Perform, { relayed = false, ...options }: WorldOptions = {}) {
  const Plane = controlPlaneFor(table);
  const plane = new Plane(options);
  const port = await plane.listen(0);
  t.teardown(() => plane.close());
  const tunnels = new TunnelSource();
  const open = commandStreams(tunnels);
  const withStream = async (_payload: never, context: CommandContext) => {
    await perform(await open(context.id, context.signal), context);
    return { done: 'yes' };
  };
  const relay = relayed ? await frameRelay(t, `ws://127.0.0.1:${port}`) : undefined;
  await testAgent(t, {
    table,
    handlers: {
      ...{ read: withStream, talk: withStream, plain: () => Promise.resolve({ done: 'yes' }) },
      fail: () => sleep(200).then(() => Promise.reject(new Error('no'))),
    },
    controlPlaneUrl: relay?.url ?? `ws://127.0.0.1:${port}`,
    tunnels,
  });
  await plane.waitForAgent('edge-1');
  const send = (type: string, key: string, sentBy = 'local') => plane.send('edge-1', { type, key, sentBy });
  const url = (key: string) => `127.0.0.1:${port}/api/commands/${key}/stream`;
  return { plane, relay, send, url, open };
}

interface Session {
  socket: WebSocket;
  /** The bytes of the channels, and the texts. */
  received: { output: Buffer; texts: Array<{ type: string; payload: Record<string, unknown> }> };
  closed: Promise<number>;
}

/** Opens the WebSocket of a session. Rejects with the status if it is refused. */
async function openSession(address: string, headers: Record<string, string> = {}): Promise<Session> {
  const socket = new WebSocket(`ws://${address}`, { headers });
  const received: Session['received'] = { output: Buffer.alloc(0), texts: [] };
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) received.output = Buffer.concat([received.output, data.subarray(1)]);
    else received.texts.push(JSON.parse(data.toString()) as Session['received']['texts'][number]);
  });
  const closed = once(socket, 'close').then(([code]) => code as number);
  closed.catch(() => undefined);
  await once(socket, 'open');
  socket.on('error', () => undefined);
  return { socket, received, closed };
}

const input = (text: string) => Buffer.concat([Buffer.of(channels.input), Buffer.from(text)]);

/** Sends back what arrives, up to a control message. */
const echo: Perform = async (stream) => {
  for await (const { channel, bytes } of messagesOf(stream, [channels.input, channels.control])) {
    if (channel === channels.control) break;
    await writeMessages(stream, { channel: channels.output, bytes });
  }
};

/** Ends the stream in order. */
const finish = async (stream: Duplex) => {
  stream.end();
  await once(stream.resume(), 'close');
};

test('the bytes of a readable stream arrive by REST, and then its result', async (t) => {
  const bytes = Buffer.alloc(3 * windowBytes, 'content');
  const { send, url } = await world(t, async (stream) => {
    stream.resume().end(bytes);
    await once(stream, 'close');
  });
  const command = send('read', 'k');
  const response = await fetch(`http://${url('k')}`);
  t.is(response.headers.get('content-type'), 'application/octet-stream');
  t.true(bytes.equals(Buffer.from(await response.arrayBuffer())));
  t.deepEqual(await command.result, { ok: true, done: 'yes' } as never);
});

test('the SDK reads a stream', async (t) => {
  const { plane, send } = await world(t, async (stream) => {
    stream.resume().end('content');
    await once(stream, 'close');
  });
  const { key, result } = send('read', 'k');
  const stream = await plane.openStream(key);
  t.is((await buffer(stream)).toString(), 'content');
  t.like(await result, { ok: true });
});

test('a session carries bytes and control messages, and ends with the result', async (t) => {
  const { send, url } = await world(t, async (stream) => {
    const read = messagesOf(stream, [channels.input, channels.control]);
    for await (const { channel, bytes } of read) {
      stream.write(encodeMessage({ channel: channels.error, bytes: Buffer.concat([Buffer.of(channel), bytes]) }));
      if (channel === channels.control) break;
    }
    stream.end();
  });
  send('talk', 'k');
  const { socket, received, closed } = await openSession(url('k'));
  socket.send(Buffer.from([channels.input, 0xff, 0xfe]));
  socket.send('{"type":"end"}');
  t.is(await closed, 1000);
  t.deepEqual(received.output, Buffer.concat([Buffer.from([0, 0xff, 0xfe, 3]), Buffer.from('{"type":"end"}')]));
  t.deepEqual(received.texts, [{ type: 'result', payload: { ok: true, done: 'yes' } }]);
});

test('a session whose command fails without a stream ends with the result', async (t) => {
  const { send, url } = await world(t, echo);
  send('fail', 'k');
  const { received, closed } = await openSession(url('k'));
  t.is(await closed, 1000);
  t.like(received.texts[0], { type: 'result', payload: { ok: false } });
});

test('a session is served on a server of the application, and noted in the audit log', async (t) => {
  const entries: AuditEntry[] = [];
  const audit = (entry: AuditEntry) => entries.push(entry);
  const greet: Perform = async (stream) => {
    stream.end(encodeMessage({ channel: channels.output, bytes: Buffer.from('hello') }));
    await finish(stream);
  };
  const { plane, send } = await world(t, greet, { apiToken: 'secret', audit });
  const server = createServer().listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  await plane.attach(server);
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  send('talk', 'k', 'api-token');
  const address = `127.0.0.1:${port}/api/commands/k/stream`;
  await t.throwsAsync(openSession(address), { message: /401/ });
  await t.throwsAsync(openSession(`127.0.0.1:${port}/api/agents`), { message: /404/ });
  const { received, closed } = await openSession(address, { authorization: 'Bearer secret' });
  t.is(await closed, 1000);
  t.is(received.output.toString(), 'hello');
  const noted = (action: string) => entries.some((entry) => entry.action === action && entry.user === 'api-token');
  await eventually('the log has the beginning and the end', () => noted('stream opened') && noted('stream closed'));
});

const refused = test.macro({
  title: (title = '') => `refuses ${title}`,
  async exec(
    t,
    status: number,
    type: string,
    { sentBy, headers, path }: { sentBy?: string; headers?: Record<string, string>; path?: string },
  ) {
    const { send, url } = await world(t, echo);
    send(type, 'k', sentBy);
    const error = await t.throwsAsync(openSession(url(path ?? 'k'), headers));
    t.is(error.message, `Unexpected server response: ${status}`);
  },
});

test("the session of someone else's command", refused, 403, 'talk', { sentBy: 'alice' });
test('the session of an unknown command', refused, 404, 'talk', { path: 'other' });
test('a path that is not encoded', refused, 400, 'talk', { path: '%ff' });
test('a web page of another server', refused, 401, 'talk', { headers: { origin: 'http://evil.example' } });
test('a session of a readable stream', refused, 400, 'read', {});
test('a session of a command without a stream', refused, 400, 'plain', {});

test('refuses sessions without the token, and web pages that have it', async (t) => {
  const { send, url } = await world(t, echo, { apiToken: 'secret' });
  send('talk', 'k', 'api-token');
  const authorization = 'Bearer secret';
  const status = async (headers: Record<string, string>) =>
    (await t.throwsAsync(openSession(url('k'), headers))).message.replace(/\D/g, '');
  t.is(await status({}), '401');
  t.is(await status({ authorization: 'Bearer wrong' }), '401');
  t.is(await status({ authorization, origin: 'http://evil.example' }), '403');
  t.is(await status({ authorization, origin: 'null' }), '403');
  const { socket, closed } = await openSession(url('k'), {
    authorization,
    origin: `http://${new URL(`http://${url('k')}`).host}`,
  });
  socket.close();
  await closed;
});

test('a page sends its token as a subprotocol, and is refused with a wrong one, or with several', async (t) => {
  const { send, url } = await world(t, echo, { apiToken: 'secret' });
  send('talk', 'k', 'api-token');
  const address = `ws://${url('k')}`;
  const origin = `http://${new URL(address).host}`;
  const named = (token: string) => `helm-agent.bearer.${Buffer.from(token).toString('base64url')}`;
  const open = async (protocols: string[], headers: Record<string, string> = { origin }) => {
    const socket = new WebSocket(address, protocols, { headers });
    await once(socket, 'open');
    return socket;
  };
  const refusedBy = async (status: number, ...given: Parameters<typeof open>) =>
    await t.throwsAsync(open(...given), { message: new RegExp(String(status)) });
  await refusedBy(401, ['helm-agent.stream']);
  await refusedBy(401, ['helm-agent.stream', named('wrong')]);
  await refusedBy(401, ['helm-agent.stream', named('secret'), named('wrong')]);
  await refusedBy(401, ['helm-agent.stream', 'helm-agent.bearer.']);
  await refusedBy(401, ['helm-agent.stream', `helm-agent.bearer.${'a'.repeat(7000)}`]);
  await refusedBy(401, ['helm-agent.stream', named('secret')], { origin, authorization: 'Bearer wrong' });
  await refusedBy(403, ['helm-agent.stream', named('secret')], { origin: 'http://evil.example' });
  const socket = await open(['helm-agent.stream', named('secret')]);
  t.is(socket.protocol, 'helm-agent.stream');
  socket.close();
  await once(socket, 'close');
});

test('only the sender reads a stream by REST, and only one reader', async (t) => {
  const tried = Promise.withResolvers<undefined>();
  const { plane, send, url } = await world(t, async (stream) => {
    await tried.promise;
    await finish(stream);
  });
  const statusOf = async (key: string) => (await fetch(`http://${url(key)}`)).status;
  const other = send('read', 'other', 'alice');
  t.is(await statusOf('other'), 403);
  t.is(await statusOf('unknown'), 404);
  const taken = send('read', 'taken');
  const stream = await plane.openStream('taken');
  t.is(await statusOf('taken'), 409);
  await t.throwsAsync(plane.openStream('taken'), { code: 'stream_taken' });
  tried.resolve(undefined);
  stream.resume();
  await taken.result;
  t.is(await statusOf('taken'), 409);
  await t.throwsAsync(plane.openStream('taken'), { code: 'stream_ended' });
  (await plane.openStream('other')).resume();
  await other.result;
});

const violation = test.macro({
  title: (title = '') => `ends a session with ${title}`,
  async exec(t, message: Buffer | string, code: number) {
    const ended = Promise.withResolvers<unknown>();
    const { send, url } = await world(t, async (stream) => {
      await echo(stream, undefined as never).catch(ended.resolve);
    });
    const command = send('talk', 'k');
    const { socket, closed } = await openSession(url('k'));
    socket.send(message);
    t.is(await closed, code);
    t.is(codeOf(await ended.promise), 'cancelled');
    await command.result;
  },
});

test('a channel that callers do not have', violation, Buffer.from([channels.output, 1]), 1008);
test('an empty message', violation, Buffer.alloc(0), 1008);
test('a text that is not JSON', violation, '{', 1008);
test('a control message that is too long', violation, JSON.stringify('a'.repeat(maxControlBytes)), 1008);
test('a message that is too long', violation, Buffer.alloc(maxSessionMessageBytes + 1), 1009);

test('a flood of small messages arrives, and holds up no other session', async (t) => {
  const { send, url } = await world(t, echo);
  send('talk', 'flood');
  send('talk', 'calm');
  const flood = await openSession(url('flood'));
  const calm = await openSession(url('calm'));
  for (let count = 0; count < 20_000; count++) flood.socket.send(input('x'));
  calm.socket.send(input('still here'));
  await eventually('the calm session has its answer', () => calm.received.output.toString() === 'still here');
  await eventually('the flood has arrived', () => flood.received.output.length === 20_000);
  flood.socket.close();
  calm.socket.close();
  t.pass();
});

test('a reader that stalls stops the agent after two windows, and no other stream', async (t) => {
  let written = 0;
  const { plane, send } = await world(t, async (stream) => {
    const chunk = Buffer.alloc(16 * 1024);
    function* endless() {
      for (;;) yield ((written += chunk.length), chunk);
    }
    await pipeline(endless, stream);
  });
  send('read', 'stalled');
  const stalled = await plane.openStream('stalled');
  stalled.read(0); // otherwise the agent may not send anything
  await eventually('the window is full', () => written >= windowBytes);
  send('read', 'other');
  const other = await plane.openStream('other');
  let read = 0;
  for await (const chunk of other as AsyncIterable<Buffer>) {
    read += chunk.length;
    if (read > 4 * windowBytes) break;
  }
  t.true(stalled.readableLength <= windowBytes);
  stalled.destroy();
  await eventually('the stalled command has ended', () => plane.command('stalled')?.state === 'done');
  t.true(read > 4 * windowBytes);
});

test('the command learns that its caller has gone away', async (t) => {
  const ended = Promise.withResolvers<unknown>();
  const { send, url } = await world(t, async (stream) => {
    await echo(stream, undefined as never).catch(ended.resolve);
  });
  send('talk', 'k');
  const { socket, received } = await openSession(url('k'));
  socket.send(input('hi'));
  await eventually('the session has its answer', () => received.output.length === 2);
  socket.terminate();
  t.is(codeOf(await ended.promise), 'cancelled');
});

test('a reader that leaves while its token is checked ends the command', async (t) => {
  const asked = Promise.withResolvers<undefined>();
  const { send, url } = await world(t, (stream) => once(stream.resume(), 'close').then(() => undefined), {
    insecure: true,
    async authenticateUser({ socket }) {
      asked.resolve(undefined);
      await new Promise((resolve) => socket.once('close', resolve)); // also after an error
      return { name: 'local', roles: [{ rights: ['admin'] }] };
    },
  });
  const command = send('read', 'k');
  const gone = new AbortController();
  const reading = fetch(`http://${url('k')}`, { signal: gone.signal });
  await asked.promise;
  gone.abort();
  await t.throwsAsync(reading);
  await command.result.catch(() => undefined);
  t.is(command.state, 'done');
});

test('a lost connection of the agent ends a session', async (t) => {
  const { relay, send, url } = await world(t, echo, { relayed: true });
  const command = send('talk', 'k');
  const { socket, received, closed } = await openSession(url('k'));
  if (relay) relay.onData = (bytes) => bytes > 10;
  socket.send(input('0123456789'));
  const code = await closed;
  // on a slow machine, the agent is back after the time for the result
  if (code === 1000) t.like(received.texts.at(-1), { type: 'result', payload: { ok: false } });
  else t.is(code, 1011);
  t.like(await command.result, { ok: false });
});

test('a session ends when the token of its caller is not valid any more', async (t) => {
  let token = 'first';
  const { send, url } = await world(t, echo, { apiToken: () => token });
  send('talk', 'k', 'api-token');
  const { closed } = await openSession(url('k'), { authorization: 'Bearer first' });
  token = 'second';
  t.is(await closed, 1000);
});

test('a control plane that closes ends its sessions', async (t) => {
  const { plane, send, url } = await world(t, echo);
  send('talk', 'k');
  const { closed } = await openSession(url('k'));
  await plane.close();
  t.is(await closed, 1000);
});

test('an agent that breaks the rules of messages ends its session', async (t) => {
  const { send, url } = await world(t, async (stream) => {
    stream.write(encodeMessage({ channel: channels.control, bytes: Buffer.from('{"type":"result"}') }));
    await echo(stream, undefined as never).catch(() => undefined);
  });
  send('talk', 'k');
  const { received, closed } = await openSession(url('k'));
  t.is(await closed, 1000);
  t.deepEqual(
    received.texts.map(({ type }) => type),
    ['error', 'result'],
  );
  t.like(received.texts[0], { payload: { code: 'bad_request' } });
});

test('an agent gets no stream for the command of another one, a second one, or one that has ended', async (t) => {
  const codes: unknown[] = [];
  const { plane, send, open } = await world(t, async (stream, { id, signal }) => {
    for (const key of [id, 'unknown']) {
      const another = await open(key, signal);
      const [error] = (await once(another, 'error')) as unknown[];
      codes.push(codeOf(error));
    }
    await finish(stream);
  });
  const command = send('read', 'k');
  (await plane.openStream('k')).resume().end();
  await command.result;
  t.deepEqual(codes, ['stream_taken', 'command_not_found']);
  const late = await open('k', new AbortController().signal);
  const [error] = (await once(late, 'error')) as unknown[];
  t.is(codeOf(error), 'command_not_found');
});

test('a stream that no one reads is reset', async (t) => {
  const command = {
    key: 'k',
    agentId: 'edge-1',
    type: 'read',
    state: 'accepted',
    outcome: () => new Promise(() => undefined),
  };
  const streams = new CommandStreams({ commands: { get: () => command as never }, table, takeMs: 10 });
  const stream = new PassThrough();
  streams.accept('edge-1', { kind: 'command', key: 'k' }, stream);
  const [error] = (await once(stream, 'error')) as unknown[];
  t.is(codeOf(error), 'timeout');
});

test('an agent without streams of commands does not get the command', async (t) => {
  const Plane = controlPlaneFor(table);
  const plane = new Plane();
  const port = await plane.listen(0);
  t.teardown(() => plane.close());
  await rawAgent(`ws://127.0.0.1:${port}`, { capabilities: ['read'], streams: ['chart'] });
  await plane.waitForAgent('edge-1');
  t.like(await plane.send('edge-1', { type: 'read' }).result, { ok: false, error: { code: 'unsupported' } });
});

test('a control plane without streams of commands is an error of the command', async (t) => {
  const tunnels = new TunnelSource();
  tunnels.connect(false);
  const open = commandStreams(tunnels);
  await t.throwsAsync(open('k', new AbortController().signal), { code: 'unsupported' });
});
