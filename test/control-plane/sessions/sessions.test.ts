import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { commandStreams } from '../../../src/agent/command-stream.ts';
import { TunnelSource } from '../../../src/agent/connection/tunnel-source.ts';
import type { AuditEntry } from '../../../src/control-plane/audit/audit-entry.ts';
import { controlPlaneFor } from '../../../src/control-plane/control-plane-for.ts';
import type { ControlPlaneOptions } from '../../../src/control-plane/index.ts';
import { defineCommand } from '../../../src/protocol/commands/definition.ts';
import { createCommandTable } from '../../../src/protocol/commands/table.ts';
import { channels, encodeMessage, messagesOf, writeMessages } from '../../../src/protocol/streams/messages.ts';
import { testAgent } from '../../agent/support/agent.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFile } from '../support/file.ts';

const table = createCommandTable({
  talk: defineCommand({
    summary: 'Sends back what arrives.',
    method: 'talk',
    fields: {},
    answer: z.object({ done: z.string() }),
    plainField: 'done',
    changes: () => undefined,
    right: 'exec',
    stream: 'duplex',
    isSession: true,
    survives: false,
  }),
});

interface WorldOptions extends ControlPlaneOptions {
  tty?: boolean;
}

/** A control plane, and an agent whose program sends back what arrives until its input ends. */
async function world(t: ExecutionContext, { tty = true, ...options }: WorldOptions = {}) {
  const Plane = controlPlaneFor(table);
  const entries: AuditEntry[] = [];
  const recordingFolder = await temporaryFile(t, 'recordings');
  const plane = new Plane({ apiToken: 'root', recordingFolder, audit: (entry) => entries.push(entry), ...options });
  const port = await plane.listen(0);
  t.teardown(() => plane.close());
  const tunnels = new TunnelSource();
  const open = commandStreams(tunnels);
  let isRead = false;
  await testAgent(t, {
    table,
    handlers: {
      async talk(_payload: never, { id, signal }) {
        const stream = await open(id, signal, { pod: 'web-0', container: 'app', command: 'sh', tty });
        const empty = encodeMessage({ channel: channels.output, bytes: Buffer.alloc(0) });
        stream.write(empty, (error) => (isRead ||= !error));
        await echo(stream);
        return { done: 'yes' };
      },
    },
    allowedRights: ['exec'],
    controlPlaneUrl: `ws://127.0.0.1:${port}`,
    tunnels,
  });
  await plane.waitForAgent('edge-1');
  const token = async (name: string, rights: string[], more: object = {}) =>
    (await plane.tokens.create({ name, roles: [{ rights, ...more }], expiresIn: '1h' })).token;
  const kim = await token('kim', ['exec']);
  const ask = (path: string, bearer: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    });
  const send = async (key: string) =>
    await ask('/api/agents/edge-1/commands', kim, { method: 'POST', body: JSON.stringify({ type: 'talk', key }) });
  const connect = (path: string, bearer: string) => openSocket(`ws://127.0.0.1:${port}/api/commands/${path}`, bearer);
  return { plane, entries, token, kim, ask, send, connect, isRead: () => isRead };
}

async function echo(stream: Duplex): Promise<void> {
  for await (const { channel, bytes } of messagesOf(stream, [channels.input, channels.control])) {
    if (channel === channels.control && bytes.toString().includes('end')) break;
    if (channel === channels.control) continue;
    await writeMessages(stream, { channel: channels.output, bytes });
  }
  stream.end();
}

/** Opens a WebSocket. Rejects with the status if it is refused. */
async function openSocket(url: string, bearer: string) {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${bearer}` } });
  let output = '';
  const texts: Array<{ type: string; payload: Record<string, unknown> }> = [];
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) output += data.subarray(1).toString();
    else texts.push(JSON.parse(data.toString()) as (typeof texts)[number]);
  });
  const closed = once(socket, 'close').then(([code]) => code as number);
  closed.catch(() => undefined);
  await once(socket, 'open');
  socket.on('error', () => undefined);
  const type = (keys: string) => socket.send(Buffer.concat([Buffer.of(channels.input), Buffer.from(keys)]));
  return { socket, output: () => output, texts, closed, type };
}

test('what a session shows is recorded before, and read by those who may run it', async (t) => {
  const { send, connect, kim, ask, token, entries } = await world(t, { recordSessions: 'terminals' });
  await send('k');
  const session = await connect('k/stream', kim);
  session.socket.send('{"type":"resize","columns":50,"rows":20}');
  session.type('secret? no: output');
  await eventually('the output is there', () => session.output() !== '');
  const live = await (await ask('/api/commands/k/recording', kim)).text();
  t.true(live.includes('secret? no: output'));
  session.socket.send('{"type":"end"}');
  t.is(await session.closed, 1000);
  const { recordings } = (await (await ask('/api/recordings', kim)).json()) as { recordings: object[] };
  t.like(recordings[0], { key: 'k', user: 'kim', pod: 'web-0', command: 'sh', isEnded: true });
  t.true((await (await ask('/api/commands/k/recording', kim)).text()).includes('"r","50x20"'));
  await eventually('the digest is in the audit log', () => entries.some(({ recording }) => recording !== undefined));
  t.true(entries.some(({ action, user }) => action === 'recording read' && user === 'kim'));
  const reader = await token('reader', ['read', 'logs']);
  t.deepEqual(await (await ask('/api/recordings', reader)).json(), { recordings: [] });
  t.is((await ask('/api/commands/k/recording', reader)).status, 404);
  const elsewhere = await token('elsewhere', ['exec'], { agents: ['other-*'] });
  t.is((await ask('/api/commands/k/recording', elsewhere)).status, 404);
  t.is((await ask('/api/commands/other/recording', kim)).status, 404);
});

test('without a terminal, a session is recorded by the rule "all" alone', async (t) => {
  for (const [rule, count] of [
    ['terminals', 0],
    ['all', 1],
  ] as const) {
    const { send, connect, kim, ask } = await world(t, { tty: false, recordSessions: rule });
    await send('k');
    const session = await connect('k/stream', kim);
    session.socket.send('{"type":"end"}');
    await session.closed;
    const { recordings } = (await (await ask('/api/recordings', kim)).json()) as { recordings: object[] };
    t.is(recordings.length, count);
  }
});

test('a session that cannot be recorded is refused before its program starts', async (t) => {
  const { send, connect, kim, isRead } = await world(t, { recordSessions: 'all', limits: { allRecordingBytes: 0 } });
  await send('k');
  const session = await connect('k/stream', kim);
  t.is(await session.closed, 1000);
  t.like(session.texts[0], { type: 'error', payload: { code: 'recording_failed' } });
  t.like(session.texts[1], { type: 'result', payload: { ok: false } });
  t.false(isRead());
});

test('a session ends when its recording is full', async (t) => {
  const { send, connect, kim } = await world(t, { recordSessions: 'all', limits: { recordingBytes: 2000 } });
  await send('k');
  const session = await connect('k/stream', kim);
  session.type('x'.repeat(3000));
  t.is(await session.closed, 1000);
  t.is(session.output(), '');
  t.like(session.texts[0], { type: 'error', payload: { code: 'recording_failed' } });
});

test('what the SDK reads is recorded, too', async (t) => {
  const { plane, kim, ask, send } = await world(t, { recordSessions: 'all' });
  await send('k');
  const stream = await plane.openStream('k');
  stream.write(encodeMessage({ channel: channels.input, bytes: Buffer.from('from the SDK') }));
  stream.write(encodeMessage({ channel: channels.control, bytes: Buffer.from('{"type":"end"}') }));
  stream.end();
  t.true((await text(stream)).includes('from the SDK'));
  t.like(await plane.command('k')?.result, { ok: true });
  t.true((await (await ask('/api/commands/k/recording', kim)).text()).includes('from the SDK'));
});

test('a session begins when a second person watches, who sees it and can end it', async (t) => {
  const { send, connect, kim, token, entries, isRead } = await world(t, {
    requireSecond: 'all',
    recordSessions: 'all',
  });
  const alex = await token('alex', ['exec']);
  await send('k');
  const first = await connect('k/stream', kim);
  await eventually('the first one waits', () => first.texts.length > 0);
  t.deepEqual(first.texts, [{ type: 'session', payload: { state: 'waiting' } }]);
  t.false(isRead());
  const second = await connect('k/watch', alex);
  first.type('hello');
  await eventually('both have the output', () => first.output() === 'hello' && second.output() === 'hello');
  t.deepEqual(first.texts[1], { type: 'session', payload: { state: 'joined', user: 'alex' } });
  second.socket.send('{"type":"terminate"}');
  t.is(await first.closed, 1000);
  t.is(await second.closed, 1000);
  t.like(first.texts.at(-2), { type: 'error', payload: { code: 'cancelled', message: 'alex has ended the session' } });
  const actions = entries.filter(({ key }) => key === 'k').map(({ action, user }) => `${user ?? ''}: ${action}`);
  t.true(actions.includes('alex: session joined') && actions.includes('alex: session ended'));
});

test('a session that needs a second person ends when that one leaves', async (t) => {
  const { send, connect, kim, token } = await world(t, { requireSecond: 'terminals' });
  const alex = await token('alex', ['exec']);
  await send('k');
  const first = await connect('k/stream', kim);
  await eventually('the first one waits', () => first.texts.length > 0);
  const second = await connect('k/watch', alex);
  first.type('hello');
  await eventually('it runs', () => first.output() === 'hello');
  second.socket.terminate();
  t.is(await first.closed, 1000);
  t.like(first.texts.at(-2), { type: 'error', payload: { code: 'cancelled' } });
});

test('a session that needs no second person continues when a watcher leaves or breaks the rules', async (t) => {
  const { send, connect, kim, token } = await world(t);
  const alex = await token('alex', ['exec']);
  await send('k');
  const first = await connect('k/stream', kim);
  first.type('a');
  await eventually('it runs', () => first.output() === 'a');
  const second = await connect('k/watch', alex);
  second.type('keys of the watcher');
  t.is(await second.closed, 1008);
  const third = await connect('k/watch', alex);
  third.socket.send('{"type":"resize","columns":1,"rows":1}');
  t.is(await third.closed, 1008);
  first.type('b');
  await eventually('it continues', () => first.output() === 'ab');
  first.socket.send('{"type":"end"}');
  t.is(await first.closed, 1000);
});

const refused = test.macro({
  title: (title = '') => `refuses a watcher ${title}`,
  async exec(t, name: string, rights: string[], limits: object, status: string) {
    const { send, connect, token } = await world(t);
    await send('k');
    const { message } = await t.throwsAsync(connect('k/watch', await token(name, rights, limits)));
    t.true(message.endsWith(status), message);
  },
});

test('with the name of the first person', refused, 'kim', ['exec'], {}, '403');
test('without the right', refused, 'alex', ['read', 'logs'], {}, '404');
test('of another agent', refused, 'alex', ['exec'], { agents: ['other'] }, '404');

test('a session that no one has begun has no watchers', async (t) => {
  const { send, connect, token } = await world(t);
  await send('k');
  const second = await connect('k/watch', await token('alex', ['exec']));
  t.is(await second.closed, 4404);
});
