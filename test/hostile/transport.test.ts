import { once } from 'node:events';
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { WebSocket } from 'ws';
import { credentialOf, formatAgentsFile } from '../../src/control-plane/agent-credentials.ts';
import { dialAgent } from '../bin/support/client.ts';
import { rawAgent } from '../control-plane/support/raw-agent.ts';
import { startAgentUnderAttack } from './support/agent-under-attack.ts';
import { type ControlPlaneUnderAttack, startControlPlaneUnderAttack } from './support/control-plane-under-attack.ts';
import { isSlowRun } from './support/figures.ts';
import { fields, frameOf, nested, zeros } from './support/frames.ts';
import { assertHarmless, measure, type Target } from './support/measure.ts';

const mebibyte = 1024 * 1024;

async function startPlane() {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  const agentsFile = join(folder, 'agents');
  await writeFile(agentsFile, formatAgentsFile([credentialOf('edge-1', 'one'), credentialOf('edge-2', 'two')]));
  const data = join(folder, 'plane.db'); // commands of an earlier run would have the same keys
  const plane = await startControlPlaneUnderAttack(['--agents-file', agentsFile, '--data', data]);
  return { ...plane, folder };
}

const startingPlane = startPlane();
const startingAgent = startAgentUnderAttack();
test.after.always(async () => {
  const [plane, agent] = [await startingPlane, await startingAgent];
  await Promise.all([plane.close(), agent.close()]);
  await rm(plane.folder, { recursive: true });
});

/** Sends a command to an agent through the REST API. */
async function sendCommand({ port }: ControlPlaneUnderAttack, agentId: string, key: string): Promise<void> {
  const payload = { releaseName: 'web', chartName: 'c' };
  const response = await fetch(`http://127.0.0.1:${port}/api/agents/${agentId}/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'install_release', payload, key }),
  });
  if (response.status !== 202) throw new Error(await response.text());
}

/** Resolves to the code of a command's result. */
async function codeOf({ port }: ControlPlaneUnderAttack, key: string): Promise<string> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/api/commands/${key}`);
    const { result } = (await response.json()) as { result?: { ok: boolean; error?: { code: string } } };
    if (result) return result.ok ? 'ok' : (result.error?.code ?? '');
    await sleep(10);
  }
}

/** Registers a large member of a class of inputs, which runs with `npm run hostile` only. */
const large: typeof test.serial = isSlowRun
  ? test.serial
  : // the many forms of the function have no common type
    ((() => undefined) as unknown as typeof test.serial);

let keys = 0;

/**
 * Sends frames as an agent, and a successful result after them. Asserts the code of the command
 * that they are about, `closed` if the connection is closed, and that nothing suffers.
 */
const planeWithstands = test.macro(async (t, framesOf: (key: string) => string[], code: string) => {
  const plane = await startingPlane;
  const agent = await rawAgent(`ws://127.0.0.1:${plane.port}`, {}, 'one');
  const key = `k${++keys}`;
  await sendCommand(plane, 'edge-1', key);
  const frames = framesOf(key);
  const figure = await measure(plane, `control plane: ${t.title}`, async () => {
    const closed = once(agent.socket, 'close').then(([status]) => `closed ${String(status)}`);
    agent.socket.on('error', () => undefined);
    for (const frame of frames) agent.socket.send(frame);
    agent.send('result', { ok: false, error: { code: 'cancelled', message: '' } }, key);
    return Promise.race([closed, codeOf(plane, key)]);
  });
  agent.socket.terminate();
  assertHarmless(t, figure, code);
});

const status = (resources: string) =>
  `{"seq":1,"step":"wait","state":"running","time":"2026-01-01T00:00:00Z","resources":${resources}}`;
const resource = '{"apiVersion":"v1","kind":"Pod","name":"a","status":"Failed","reason":"r"}';

large(
  'a status with 7 million zeros as resources',
  planeWithstands,
  (key) => [frameOf('status', status(zeros(7_000_000)), key)],
  'cancelled',
);
test.serial(
  'a status with 190,000 zeros as resources',
  planeWithstands,
  (key) => [frameOf('status', status(zeros(190_000)), key)],
  'cancelled',
);
large(
  'a status with 60,000 empty objects as resources',
  planeWithstands,
  (key) => [frameOf('status', status(`[${Array.from({ length: 60_000 }, () => '{}').join(',')}]`), key)],
  'cancelled',
);
test.serial(
  'a status with 10,000 resources',
  planeWithstands,
  (key) => [frameOf('status', status(`[${Array.from({ length: 10_000 }, () => resource).join(',')}]`), key)],
  'cancelled',
);
large(
  '40 statuses with 1,000 resources',
  planeWithstands,
  (key) => {
    const resources = `[${Array.from({ length: 1000 }, () => resource).join(',')}]`;
    return Array.from({ length: 40 }, (_, index) =>
      frameOf('status', status(resources).replace('"seq":1', `"seq":${index + 1}`), key),
    );
  },
  'cancelled',
);
test.serial(
  'a packet of 8 million levels',
  planeWithstands,
  (key) => [frameOf('status', nested(4_000_000 - 100), key)],
  'cancelled',
);
large('a frame that is 8 MiB of opening brackets', planeWithstands, () => ['['.repeat(8 * mebibyte)], 'cancelled');
test.serial(
  'a result with 49,000 fields',
  planeWithstands,
  (key) => [
    frameOf(
      'result',
      `{"ok":true,"release":{"name":"a","namespace":"b","version":1,"info":{"status":""},"config":${fields(49_000)}}}`,
      key,
    ),
  ],
  'ok',
);
large(
  'a result with 2 million fields',
  planeWithstands,
  (key) => [frameOf('result', fields(700_000), key)],
  'internal',
);
test.serial(
  'a packet whose type has 8 million characters',
  planeWithstands,
  () => [JSON.stringify({ type: 'x'.repeat(8_000_000) })],
  'cancelled',
);
large(
  'a payload of 4 million escaped quotes',
  planeWithstands,
  (key) => [frameOf('status', '"'.repeat(4_000_000), key)],
  'cancelled',
);
large('a frame of 16 MiB', planeWithstands, () => ['x'.repeat(16 * mebibyte)], 'cancelled');
test.serial(
  '10,000 packets that are not JSON',
  planeWithstands,
  () => Array.from({ length: 10_000 }, () => '{'),
  'closed 4400',
);

test.serial('20 connections that send 4 MB instead of a hello', async (t) => {
  const plane = await startingPlane;
  const hello = JSON.stringify({ type: 'hello', payload: 'x'.repeat(4_000_000) });
  const figure = await measure(plane, `control plane: ${t.title}`, async () => {
    const sockets = Array.from({ length: 20 }, () => {
      return new WebSocket(`ws://127.0.0.1:${plane.port}`, ['helm-agent.v1'], {
        headers: { authorization: 'Bearer one' },
      });
    });
    await Promise.all(
      sockets.map(async (socket) => {
        socket.on('error', () => undefined);
        const closed = once(socket, 'close');
        await once(socket, 'open');
        socket.send(hello);
        await closed;
      }),
    );
    return 'closed';
  });
  assertHarmless(t, figure, 'closed');
});

test.serial('an agent that claims the id of another receives none of its commands', async (t) => {
  const plane = await startingPlane;
  const url = `ws://127.0.0.1:${plane.port}`;
  const victim = await rawAgent(url, {}, 'one');
  const attacker = new WebSocket(url, ['helm-agent.v1'], { headers: { authorization: 'Bearer two' } });
  const packets: string[] = [];
  attacker.on('message', (data: Buffer) => packets.push(data.toString()));
  const closed = once(attacker, 'close');
  await once(attacker, 'open');
  const hello = { agentId: 'edge-1', instanceId: 'a', version: '1', capabilities: [], limits: { maxPacketBytes: 1 } };
  attacker.send(frameOf('hello', JSON.stringify(hello)));
  await sendCommand(plane, 'edge-1', 'forged');
  attacker.send(frameOf('result', '{"ok":false,"error":{"code":"internal","message":"forged"}}', 'forged'));
  t.is((await closed)[0], 4403);
  t.deepEqual(packets, []);
  victim.send('result', { ok: false, error: { code: 'cancelled', message: '' } }, 'forged');
  t.is(await codeOf(plane, 'forged'), 'cancelled');
  victim.socket.terminate();
});

/** Returns the number of sockets that a process has open. */
async function socketsOf(pid: number): Promise<number> {
  const files = await readdir(`/proc/${pid}/fd`);
  const targets = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')));
  return targets.filter((target) => target.startsWith('socket:')).length;
}

/** Waits until a process has no more sockets open than before. */
async function socketsClosed(pid: number, before: number): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (let open = await socketsOf(pid); open > before; open = await socketsOf(pid)) {
    if (performance.now() > deadline) throw new Error(`${open} sockets are open, before it were ${before}`);
    await sleep(50);
  }
}

/** Connects sockets that keep their end open whatever the server does. */
async function openSockets(t: ExecutionContext, port: number, count: number, text: string): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect({ port, host: '127.0.0.1', allowHalfOpen: true }));
  t.teardown(() => sockets.forEach((socket) => socket.destroy()));
  await Promise.all(
    sockets.map(async (socket) => {
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      socket.write(text);
    }),
  );
  return sockets;
}

const refusedUpgrade =
  'GET /exe-cmd HTTP/1.1\r\nHost: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Protocol: helm-agent.v1\r\n\r\n';

/** Opens sockets in several groups, each after the server has answered the one before. */
const closesRefused = test.macro(
  async (t, starting: Promise<Target & { port: number }>, groups: number, groupSize: number) => {
    const { program, port } = await starting;
    const before = await socketsOf(program.pid);
    const found = new Set<string | undefined>();
    for (let group = 0; group < groups; group++) {
      const sockets = await openSockets(t, port, groupSize, refusedUpgrade);
      const answers = sockets.map(async (socket) => {
        const [data] = (await once(socket, 'data')) as [Buffer];
        found.add(data.toString().split('\r\n', 1)[0]);
      });
      await Promise.all(answers);
    }
    const [status, ...others] = found;
    t.deepEqual(others, []);
    t.regex(status ?? '', /^HTTP\/1\.1 40[13] /);
    await t.notThrowsAsync(socketsClosed(program.pid, before));
  },
);

test.serial('the control plane closes the sockets of 500 refused agents', closesRefused, startingPlane, 1, 500);
// a busy agent cuts off strangers beyond 128 before it can answer
test.serial('the agent closes the sockets of 200 refused clients', closesRefused, startingAgent, 2, 100);

test.serial('the agent closes connections beyond its limit', async (t) => {
  const { program, port } = await startingAgent;
  const before = await socketsOf(program.pid);
  const sockets = await openSockets(t, port, 500, '');
  await sleep(200);
  t.true((await socketsOf(program.pid)) <= before + 256);
  sockets.forEach((socket) => socket.destroy());
  await socketsClosed(program.pid, before); // the next test connects, too
});

const rebinding = test.macro(async (t, starting: Promise<{ port: number }>, path: string, ok: number, bad: number) => {
  const { port } = await starting;
  const statusFor = async (host: string) => {
    const [socket] = await openSockets(
      t,
      port,
      1,
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    const [data] = socket ? ((await once(socket, 'data')) as [Buffer]) : [];
    return Number(data?.toString().split(' ')[1]);
  };
  for (const host of ['localhost', `localhost:${port}`, '127.0.0.1', `[::1]:${port}`]) t.is(await statusFor(host), ok);
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', 'localhost@evil', '10.0.0.1']) {
    t.is(await statusFor(host), bad, host);
  }
});
test.serial(
  'the REST API without a token serves only its own host names',
  rebinding,
  startingPlane,
  '/api/agents',
  200,
  401,
);

/**
 * Sends a frame as a client of the agent. Asserts the code of its result, that the agent still
 * performs commands, and that nothing suffers.
 */
const agentWithstands = test.macro(async (t, frame: string, code: string) => {
  const agent = await startingAgent;
  const client = await dialAgent(t, agent.port, ['helm-agent.v1']);
  const resultOf = async (fits: (key: string | undefined) => boolean) => {
    const { payload = '' } = await client.packet(({ type, key }) => type === 'result' && fits(key));
    const result = JSON.parse(payload) as { ok: boolean; error?: { code: string } };
    return result.ok ? 'ok' : (result.error?.code ?? '');
  };
  const figure = await measure(agent, `agent: ${t.title}`, async () => {
    client.send(frame);
    client.send({ key: 'next', type: 'list_releases' });
    const [answer, next] = [await resultOf((key) => key !== 'next'), await resultOf((key) => key === 'next')];
    t.is(next, 'ok');
    return answer;
  });
  assertHarmless(t, figure, code);
});

const install = (payload: string) => frameOf('install_release', payload, 'k');

large('a payload of 4 million levels', agentWithstands, install(nested(4_000_000)), 'bad_payload');
large('a payload with 700,000 fields', agentWithstands, install(fields(700_000)), 'bad_payload');
test.serial('a payload with 49,000 unknown fields', agentWithstands, install(fields(49_000)), 'bad_payload');
large('a packet of 14 MB of zeros', agentWithstands, install(zeros(7_000_000)), 'too_large');
test.serial('a frame with 4 million zeros', agentWithstands, zeros(4_000_000), 'bad_packet');
test.serial(
  'a command whose type has 8 million characters',
  agentWithstands,
  JSON.stringify({ key: 'k', type: 'x'.repeat(8_000_000) }),
  'bad_packet',
);

/** Returns a WebSocket frame as a client writes it; the mask is zero. */
function rawFrame(opcode: number, body: Buffer, isFinal = true): Buffer {
  if (body.length > 125) throw new Error('the body is too long');
  return Buffer.concat([Buffer.from([(isFinal ? 0x80 : 0) | opcode, 0x80 | body.length, 0, 0, 0, 0]), body]);
}

const textFrame = (text: string) => rawFrame(1, Buffer.from(text));

function streamFrame(type: number, id: number, body = ''): Buffer {
  const head = Buffer.from([type, 0, 0, 0, 0]);
  head.writeUInt32BE(id, 1);
  return rawFrame(2, Buffer.concat([head, Buffer.from(body)]));
}

const tinyFragments = Buffer.concat([
  rawFrame(1, Buffer.from(' '), false),
  ...Array.from({ length: 1000 }, () => rawFrame(0, Buffer.alloc(0), false)),
  rawFrame(0, Buffer.from('{}')),
]);

/** Floods of small frames. `count` is the number of the frame, from 0. */
const floods: Readonly<Record<string, (count: number) => Buffer>> = {
  'streams of an unknown kind': (count) => streamFrame(1, 2 * count + 1, '{"kind":"x"}'),
  'streams that are reset at once': (count) => {
    const id = 2 * count + 1;
    return Buffer.concat([streamFrame(1, id, '{"kind":"chart"}'), streamFrame(5, id, '{"code":"c","message":""}')]);
  },
  'data for a stream that has ended': (count) =>
    count === 0 ? streamFrame(1, 1, '{"kind":"x"}') : streamFrame(2, 1, 'x'),
  pings: () => rawFrame(9, Buffer.alloc(0)),
  pongs: () => rawFrame(10, Buffer.alloc(0)),
  acknowledgements: () => textFrame('{"type":"ack","payload":"{\\"seq\\":0}"}'),
  'packets of an unknown type': () => textFrame('{"type":"x"}'),
  'results of commands that it did not get': (count) => textFrame(`{"key":"k${count}","type":"result"}`),
  'empty frames': () => rawFrame(1, Buffer.alloc(0)),
  'tiny fragments': () => tinyFragments,
};

/** Time for which a flood lasts, in milliseconds. */
const floodMs = 1500;

/** Writes frames as fast as the socket takes them, until it is closed or the time is over. */
async function flood(socket: Socket, next: (count: number) => Buffer): Promise<void> {
  const end = performance.now() + floodMs;
  for (let count = 0; performance.now() < end && !socket.destroyed;) {
    const frames = Array.from({ length: 500 }, () => next(count++));
    if (socket.write(Buffer.concat(frames))) await sleep(0);
    else await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), sleep(100)]);
  }
}

/** Sends packets, and returns the socket below, which does not read any more. */
function deafSocket(socket: WebSocket, ...packets: string[]): Socket {
  for (const packet of packets) socket.send(packet);
  const { _socket: below } = socket as unknown as { _socket: Socket };
  below.on('error', () => undefined);
  below.pause();
  return below;
}

for (const [name, next] of Object.entries(floods)) {
  test.serial(`an agent that never reads sends ${name}`, async (t) => {
    const plane = await startingPlane;
    const figure = await measure(plane, `control plane: a flood of ${name}`, async () => {
      const headers = { authorization: 'Bearer one' };
      const socket = new WebSocket(`ws://127.0.0.1:${plane.port}`, ['helm-agent.v1'], { headers });
      socket.on('error', () => undefined);
      await once(socket, 'open');
      const limits = { maxPacketBytes: 1_000_000 };
      const hello = { agentId: 'edge-1', instanceId: 'a', version: '1', capabilities: [], limits, streams: ['chart'] };
      await flood(deafSocket(socket, frameOf('hello', JSON.stringify(hello))), next);
      socket.terminate();
      return 'ended';
    });
    assertHarmless(t, figure, 'ended');
  });
}

for (const name of ['pings', 'acknowledgements', 'packets of an unknown type', 'tiny fragments'] as const) {
  test.serial(`a client of the agent that never reads sends ${name}`, async (t) => {
    const agent = await startingAgent;
    const figure = await measure(agent, `agent: a flood of ${name}`, async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${agent.port}/exe-cmd`, ['helm-agent.v1']);
      socket.on('error', () => undefined);
      await once(socket, 'open');
      await flood(deafSocket(socket), floods[name] ?? (() => Buffer.alloc(0)));
      socket.terminate();
      return 'ended';
    });
    assertHarmless(t, figure, 'ended');
  });
}
