import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import { type ClientOptions, WebSocket } from 'ws';
import type { AgentOptions } from '../../../src/agent/agent.ts';
import { commandStreams } from '../../../src/agent/command-stream.ts';
import type { HandlersByType } from '../../../src/agent/commands/command-handler.ts';
import { DirectStreams } from '../../../src/agent/connection/raw-shell.ts';
import { TunnelSource } from '../../../src/agent/connection/tunnel-source.ts';
import { OperationError } from '../../../src/operation/error.ts';
import { channels, messagesOf, writeMessages } from '../../../src/protocol/streams/messages.ts';
import { eventually } from '../../support/eventually.ts';
import { testAgent } from '../support/agent.ts';

const target = '?namespace=shop&podName=web-0&containerName=app';

/** Writes back what it reads, and ends at `exit`. */
async function echo(stream: Duplex): Promise<number> {
  let typed = '';
  for await (const { bytes } of messagesOf(stream, [channels.input])) {
    typed += bytes.toString('latin1');
    await writeMessages(stream, { channel: channels.output, bytes });
    if (typed.includes('exit')) break;
  }
  stream.end();
  return 3;
}

/** Starts an agent whose shells are `perform`. */
async function world(
  t: ExecutionContext,
  options: Partial<AgentOptions> = {},
  perform: (stream: Duplex) => Promise<number> = echo,
) {
  const shells = new DirectStreams();
  const payloads: object[] = [];
  const failures: unknown[] = [];
  const open = commandStreams(new TunnelSource(), shells);
  const handlers: HandlersByType = {
    exec_pod: async (payload: object, { id, signal }) => {
      payloads.push(payload);
      const stream = await open(id, signal);
      try {
        return { exitCode: await perform(stream), pod: 'web-0', container: 'app' };
      } catch (error) {
        failures.push(error);
        throw error;
      }
    },
  };
  const listen = { host: '127.0.0.1', port: 0 };
  const started = await testAgent(t, { listen, handlers, shells, allowedRights: ['read', 'exec'], ...options });
  const { port = 0 } = started.agent;
  const url = (path = `/container/exe-cmd${target}`) => `ws://127.0.0.1:${port}${path}`;
  return { ...started, url, payloads, failures };
}

async function connect(url: string, options: ClientOptions = {}) {
  const socket = new WebSocket(url, options);
  const frames: Array<{ data: Buffer; isBinary: boolean }> = [];
  socket.on('message', (data: Buffer, isBinary) => frames.push({ data, isBinary }));
  const closed = once(socket, 'close').then(([code, reason]) => [code, String(reason)] as [number, string]);
  closed.catch(() => undefined);
  await once(socket, 'open');
  socket.on('error', () => undefined);
  const output = () => Buffer.concat(frames.map(({ data }) => data)).toString('latin1');
  return { socket, frames, closed, output };
}

async function refusedWith(url: string, options: ClientOptions = {}): Promise<number | undefined> {
  const socket = new WebSocket(url, options);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode?: number }];
  socket.on('error', () => undefined);
  socket.terminate();
  return response.statusCode;
}

test('frames of any kind are input, and binary frames are output, byte for byte, up to the exit code', async (t) => {
  const { url, payloads, lines } = await world(t);
  const { socket, frames, closed, output } = await connect(url());
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  socket.send(bytes);
  socket.send('ls\n');
  await eventually('the output is there', () => output().length === 259);
  t.is(output(), `${bytes.toString('latin1')}ls\n`);
  socket.send('exit\n');
  t.deepEqual(await closed, [1000, 'exit code 3']);
  t.true(frames.every(({ isBinary }) => isBinary));
  t.deepEqual(payloads, [{ namespace: 'shop', name: 'web-0', container: 'app', stdin: true, tty: true }]);
  t.true(lines.some((line) => JSON.stringify(line).includes('exec_pod')));
});

test('a mebibyte in one frame arrives whole in both directions', async (t) => {
  const { url } = await world(t);
  const { socket, closed, output } = await connect(url());
  const bytes = Buffer.alloc(1024 * 1024, 'abc\u00ff', 'latin1');
  socket.send(bytes);
  await eventually('the output is there', () => output().length === bytes.length);
  t.true(output() === bytes.toString('latin1'));
  socket.send('exit');
  t.is((await closed)[0], 1000);
});

test('the container of the URL can be left out', async (t) => {
  const { url, payloads } = await world(t);
  const { socket, closed } = await connect(url('/container/exe-cmd?namespace=shop&podName=web-0&containerName='));
  socket.send('exit');
  await closed;
  t.deepEqual(payloads, [{ namespace: 'shop', name: 'web-0', stdin: true, tty: true }]);
});

test('an agent whose owner has not allowed it has no shells', async (t) => {
  const { url } = await world(t, { shells: undefined });
  t.is(await refusedWith(url()), 501);
});

test('without the right exec, the connection ends before a program runs', async (t) => {
  const { url, payloads, lines } = await world(t, { allowedRights: ['read', 'deploy'] });
  const { closed } = await connect(url());
  const [code, reason] = await closed;
  t.is(code, 1008);
  t.regex(reason, /^forbidden: the agent does not accept exec_pod/);
  t.deepEqual(payloads, []);
  t.true(lines.some((line) => JSON.stringify(line).includes('forbidden')));
});

test('clients need the token, and web pages and other hosts are refused without one', async (t) => {
  const guarded = await world(t, { readClientToken: () => Promise.resolve('secret') });
  t.is(await refusedWith(guarded.url()), 401);
  t.is(await refusedWith(guarded.url(`/container/exe-cmd${target}&token=secret`)), 401);
  t.is(await refusedWith(guarded.url(), { headers: { authorization: 'Bearer secret2' } }), 401);
  const { socket, closed } = await connect(guarded.url(), { headers: { authorization: 'Bearer secret' } });
  socket.send('exit');
  t.is((await closed)[0], 1000);
  const { url, payloads } = await world(t);
  t.is(await refusedWith(url(), { origin: 'https://evil.example' }), 403);
  t.is(await refusedWith(url(), { headers: { host: 'evil.example' } }), 403);
  t.deepEqual(payloads, []);
});

for (const [title, query] of Object.entries({
  'no query': '',
  'no pod': '?namespace=shop',
  'no namespace': '?podName=web-0',
  'two pods': '?namespace=shop&podName=web-0&podName=db-0',
  'two namespaces': '?namespace=shop&namespace=kube-system&podName=web-0',
  'two containers': '?namespace=shop&podName=web-0&containerName=a&containerName=b',
  'a workload': '?namespace=shop&podName=deploy/web',
  'a path': '?namespace=shop&podName=..%2Fnodes%2Fnode1',
  dots: '?namespace=shop&podName=..',
  'a NUL': '?namespace=shop&podName=a%00b',
  'a line break': '?namespace=shop&podName=web-0%0A',
  'a long name': `?namespace=shop&podName=${'x'.repeat(5000)}`,
  'no text': '?namespace=shop&podName=%FF%FE',
  'a long container': `?namespace=shop&podName=web-0&containerName=${'x'.repeat(300)}`,
  'a second question mark': '?namespace=shop&podName=web-0?x',
})) {
  test(`a URL with ${title} is refused`, async (t) => {
    const { url, payloads } = await world(t);
    t.is(await refusedWith(url(`/container/exe-cmd${query}`)), 400);
    t.deepEqual(payloads, []);
  });
}

test('a shell that cannot be opened closes the connection with its reason', async (t) => {
  const message = `the container has no shell ${'\u00e9'.repeat(500)}`;
  const { url } = await world(t, {}, () => Promise.reject(new OperationError('not_found', message)));
  const [code, reason] = await (await connect(url())).closed;
  t.is(code, 1011);
  t.regex(reason, /^not_found: the container has no shell é+$/);
});

test('a client that goes away ends its command', async (t) => {
  const { url, failures, payloads } = await world(t, {}, async (stream) => {
    await once(stream, 'close');
    throw new OperationError('stream_lost', 'gone');
  });
  const { socket } = await connect(url());
  await eventually('it runs', () => payloads.length === 1);
  socket.terminate();
  await eventually('it has ended', () => failures.length === 1);
  t.pass();
});

test('a flood of frames waits while the program does not read, and empty frames count', async (t) => {
  const read = Promise.withResolvers<undefined>();
  const { url } = await world(t, {}, async (stream) => {
    await read.promise;
    return await echo(stream);
  });
  const { socket, closed } = await connect(url());
  for (let count = 0; count < 64; count++) socket.send(Buffer.alloc(256 * 1024));
  for (let count = 0; count < 10_000; count++) socket.send(Buffer.alloc(0));
  socket.send('exit');
  // the agent takes what its buffers hold, and then no more
  await eventually('the rest waits here', () => socket.bufferedAmount > 4 * 1024 * 1024);
  read.resolve(undefined);
  t.is((await closed)[0], 1000);
});

test('an agent that stops ends its shells', async (t) => {
  const { agent, url, payloads } = await world(t, {}, async (stream) => {
    await once(stream, 'close');
    throw new OperationError('cancelled', 'the agent stops');
  });
  const { closed } = await connect(url());
  await eventually('it runs', () => payloads.length === 1);
  await agent.stop();
  const [code] = await closed;
  t.true([1006, 1011].includes(code), String(code));
});

test('an agent stops after a client has left during a paste that the program does not read', async (t) => {
  const { agent, url, payloads, failures } = await world(t, {}, async (stream) => {
    await once(stream, 'close');
    throw new OperationError('stream_lost', 'gone');
  });
  const { socket } = await connect(url());
  await eventually('it runs', () => payloads.length === 1);
  socket.send(Buffer.alloc(4 * 1024 * 1024));
  await new Promise<void>((resolve) => socket.send('', () => resolve()));
  await eventually('the agent has got it', () => socket.bufferedAmount === 0);
  socket.terminate();
  await eventually('the command has ended', () => failures.length === 1);
  await agent.stop();
  t.pass();
});
