import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import test from 'ava';
import { type WebSocket, WebSocketServer } from 'ws';
import { commandStreams } from '../../../src/agent/command-stream.ts';
import { TunnelSource } from '../../../src/agent/connection/tunnel-source.ts';
import { pipeTerminal } from '../../../src/cli/ctl/exec/pipe-terminal.ts';
import { runSession } from '../../../src/cli/ctl/exec/run-session.ts';
import { connectCluster } from '../../../src/kube/cluster.ts';
import { operation } from '../../../src/operation/exec/exec-pod.ts';
import { execPod } from '../../../src/protocol/commands/exec-pod.ts';
import type { CommandPayloads } from '../../../src/protocol/commands/index.ts';
import { testAgent } from '../../agent/support/agent.ts';
import { testPlane } from '../../control-plane/support/plane.ts';
import { kubeconfigOf } from '../../kube/fake-server.ts';

// All ends are in this process, whose clock is the test's: the terminal, the control plane, the
// agent and the API server. Bytes on the loopback arrive in the next turns of the event loop.
mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });

const day = 24 * 3_600_000;
const step = 10_000;
const pod = { metadata: { name: 'web-0', namespace: 'shop' }, spec: { containers: [{ name: 'app' }] } };

async function turns(count = 12): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits in real time. */
async function until(isTrue: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!isTrue()) {
    if (performance.now() > end) throw new Error(`not in time: ${String(isTrue)}`);
    await turns(1);
  }
}

/** Starts an API server whose processes write back what they read, and counts its pings. */
async function api() {
  const server = createServer();
  const sockets = new WebSocketServer({ server, handleProtocols: () => 'v5.channel.k8s.io' });
  const seen = { pings: 0 };
  const connections: WebSocket[] = [];
  sockets.on('connection', (socket) => {
    connections.push(socket);
    socket.on('ping', () => seen.pings++);
    socket.on('message', (data: Buffer) => {
      if (data[0] !== 0) return;
      socket.send(Buffer.concat([Buffer.of(1), data.subarray(1)]));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, seen, connections, close: () => server.close() };
}

test('a terminal that is idle for 24 hours is there, because each hop is pinged', async (t) => {
  const fake = await api();
  const kube = connectCluster({ text: kubeconfigOf(fake.url) });
  const { plane, url, agentUrl } = await testPlane(t);
  const tunnels = new TunnelSource();
  const open = commandStreams(tunnels);
  const cluster = {
    servedKinds: () =>
      Promise.resolve([{ apiVersion: 'v1', kind: 'Pod', resource: 'pods', namespaced: true, aliases: ['po'] }]),
    get: () => Promise.resolve({ apiVersion: 'v1', kind: 'Pod', ...pod }),
    exec: kube.exec.bind(kube),
  };
  const handlers = {
    exec_pod: (payload: CommandPayloads['exec_pod'], { id, signal }: { id: string; signal: AbortSignal }) =>
      // the rest of a context is not used
      operation.perform(payload, { cluster, signal, id, openStream: () => open(id, signal) } as never),
  };
  await testAgent(t, { controlPlaneUrl: agentUrl, handlers, tunnels, allowedRights: ['exec'] });
  t.teardown(() => mock.timers.reset()); // before what stops, which waits for real time
  await until(() => plane.agents().length === 1);

  const typed: Array<(bytes: Buffer) => void> = [];
  let shown = '';
  const terminal = {
    ...pipeTerminal({
      async *input() {
        for (;;) yield await new Promise<Buffer>((resolve) => typed.push(resolve));
      },
      write: (_to, bytes) => Promise.resolve(void (shown += Buffer.from(bytes).toString())),
    }),
  };
  const payload = { namespace: 'shop', name: 'web-0', command: ['sh'], stdin: true, tty: true };
  const key = 'idle';
  await fetch(`${url}/api/agents/edge-1/commands`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'exec_pod', key, payload }),
  });
  const left = new AbortController();
  const session = runSession(
    { url: `${url.replace('http', 'ws')}/api/commands/${key}/stream`, headers: {}, ca: undefined },
    execPod.answer,
    { terminal, input: true, tty: true, signal: left.signal, onNotice: () => undefined },
  );
  await until(() => typed.length === 1);
  typed[0]?.(Buffer.from('hello'));
  await until(() => shown === 'hello');

  const connected = plane.agents()[0];
  for (let time = 0; time < day; time += step) {
    mock.timers.tick(step);
    await turns();
  }
  t.true(fake.seen.pings >= day / 10_000 - 10, `${fake.seen.pings} pings of the API server`);
  t.is(fake.connections.length, 1);
  t.deepEqual(plane.agents()[0]?.connectedAt, connected?.connectedAt);

  await until(() => typed.length === 2);
  typed[1]?.(Buffer.from(' again'));
  await until(() => shown === 'hello again');
  mock.timers.reset();
  left.abort();
  await t.throwsAsync(session);
  for (const socket of fake.connections) socket.terminate();
  fake.close();
  await kube.close();
});
