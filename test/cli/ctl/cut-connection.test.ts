import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import test, { type ExecutionContext } from 'ava';
import { commandStreams } from '../../../src/agent/command-stream.ts';
import type { CommandHandlers } from '../../../src/agent/commands/command-handler.ts';
import { TunnelSource } from '../../../src/agent/connection/tunnel-source.ts';
import type { SessionTerminal } from '../../../src/cli/dependencies.ts';
import { OperationError } from '../../../src/operation/error.ts';
import { rights } from '../../../src/protocol/commands/definition.ts';
import { encodeLogRecord } from '../../../src/protocol/streams/log-records.ts';
import { channels, encodeMessage, messagesOf } from '../../../src/protocol/streams/messages.ts';
import { testAgent } from '../../agent/support/agent.ts';
import { PuppetHandlers } from '../../agent/support/handlers.ts';
import { startCuttableProxy } from '../../bin/support/cuttable-proxy.ts';
import { testPlane } from '../../control-plane/support/plane.ts';
import { eventually } from '../../support/eventually.ts';
import { testProgram } from '../support/program.ts';

// The connection between `ctl` and the control plane is cut in the middle of each kind of command.

const lostNotice = 'the connection is lost; trying again each second, 30 times at most\n';
const pod = { pod: 'web-0', container: 'app' };
const changed = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web', change: 'restarted' };

/** Starts an agent, and a program whose connections to the control plane can be cut. */
async function world(t: ExecutionContext, sessionTerminal?: SessionTerminal) {
  const { plane, port, agentUrl } = await testPlane(t);
  const proxy = await startCuttableProxy(port);
  t.teardown(() => proxy.close());
  const tunnels = new TunnelSource();
  const open = commandStreams(tunnels);
  const puppet = new PuppetHandlers();
  const received = { bytes: 0 };
  const echo = async (id: string, signal: AbortSignal) => {
    const stream = await open(id, signal);
    for await (const { channel, bytes } of messagesOf(stream, [channels.input, channels.control])) {
      if (channel === channels.control) break;
      received.bytes += bytes.length;
      stream.write(encodeMessage({ channel: channels.output, bytes }));
    }
    stream.end();
    await finished(stream, { readable: false });
  };
  const handlers: CommandHandlers = {
    ...puppet.handlers,
    async exec_pod({ command: [program = ''] = [] }, { id, signal }) {
      if (program !== 'test') await echo(id, signal);
      else (await open(id, signal)).end();
      return { exitCode: program === 'test' ? 1 : 0, ...pod };
    },
    async port_forward(_payload, { id, signal }) {
      await echo(id, signal);
      return { pod: 'web-0' };
    },
    // a line, and another one after the connection was lost
    async pod_logs({ cursors }, { id, signal }) {
      const stream = await open(id, signal);
      const lines = (cursors?.[0]?.lines ?? 0) + 1;
      const cursor = { ...pod, uid: 'u', run: 0, time: '2026-01-01T00:00:00.000000000Z', lines };
      stream.resume().write(encodeLogRecord({ cursor }, Buffer.from(`line ${lines}\n`)));
      if (lines === 2) stream.end();
      await finished(stream, { readable: false });
      return { containers: 1 };
    },
  };
  await testAgent(t, { controlPlaneUrl: agentUrl, handlers, tunnels, allowedRights: [...rights] });
  await plane.waitForAgent('edge-1');
  const program = testProgram({
    env: { HELM_AGENT_SERVER: `http://127.0.0.1:${proxy.port}`, HELM_AGENT_AGENT: 'edge-1' },
    files: { 'set.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: set }\n' },
    ...(sessionTerminal && { sessionTerminal }),
  });
  return { ...program, ctl: (...args: string[]) => program.run('ctl', ...args), proxy, puppet, plane, received };
}

/** A terminal in which someone has typed a line, and types no more. */
function typedTerminal() {
  const shown = { text: '' };
  const terminal: SessionTerminal = {
    isTerminal: false,
    size: () => ({ columns: 80, rows: 24 }),
    onResize: () => () => undefined,
    startRaw: () => () => undefined,
    async *input() {
      yield Buffer.from('typed');
      await new Promise(() => undefined);
    },
    write(_to, bytes) {
      shown.text += Buffer.from(bytes).toString();
      return Promise.resolve();
    },
    close: () => undefined,
  };
  return { terminal, shown };
}

const durable: ReadonlyArray<readonly [args: string, answer?: object]> = [
  ['restart deploy/web'],
  ['scale deploy/web 2'],
  ['pause web'],
  ['stop web'],
  ['start web'],
  ['run-job nightly'],
  ['apply set -f set.yaml', {}],
  ['uninstall web', {}],
];

for (const [args, answer = { changes: [changed] }] of durable) {
  test(`${args}: the command is performed once, and its result is shown after a lost connection`, async (t) => {
    const { ctl, stderr, proxy, puppet } = await world(t);
    const running = ctl(...args.split(' '));
    const call = await puppet.call(0);
    await eventually('it is followed', () => stderr.text !== '');
    proxy.cut();
    call.succeed(answer);
    await eventually('it says so', () => stderr.text.includes(lostNotice));
    proxy.heal();
    t.is(await running, 0, stderr.text);
    t.is(puppet.calls.length, 1);
    t.regex(stderr.text, /\nconnected again\n/);
  });
}

test('a command that has failed meanwhile is not a success after a lost connection', async (t) => {
  const { ctl, stderr, proxy, puppet } = await world(t);
  const running = ctl('restart', 'deploy/web');
  const call = await puppet.call(0);
  await eventually('it is followed', () => stderr.text !== '');
  proxy.cut();
  call.fail(new OperationError('not_ready', 'the pods do not start'));
  await eventually('it says so', () => stderr.text.includes(lostNotice));
  proxy.heal();
  t.is(await running, 1);
  t.regex(stderr.text, /the pods do not start/);
});

for (const args of ['list-objects pods --watch', 'status web --watch']) {
  test(`${args}: changes are shown again after a lost connection`, async (t) => {
    const { ctl, interrupt, stderr, proxy, puppet } = await world(t);
    const running = ctl(...args.split(' '));
    const call = await puppet.call(0);
    await eventually('it is followed', () => stderr.text !== '');
    proxy.cut();
    await eventually('it says so', () => stderr.text.includes(lostNotice));
    proxy.heal();
    await eventually('it is connected', () => stderr.text.includes('connected again\n'));
    interrupt();
    interrupt();
    t.is(await running, 1);
    call.fail(new Error('over'));
  });
}

test('watch of a command says that the connection is lost, and fails at once if there never was one', async (t) => {
  const { ctl, stderr, proxy, puppet, plane } = await world(t);
  const { key } = plane.restartWorkload('edge-1', { kind: 'deploy', name: 'web', namespace: 'shop' });
  const running = ctl('watch', key);
  const call = await puppet.call(0);
  await eventually('it is followed', () => stderr.text !== '');
  proxy.cut();
  await eventually('it says so', () => stderr.text.includes(lostNotice));
  t.is(await ctl('watch', key), 1);
  t.regex(stderr.text, /Error: cannot reach the control plane at http:\/\/127\.0\.0\.1:\d+: /);
  proxy.heal();
  call.succeed({ changes: [changed] });
  t.is(await running, 0, stderr.text);
});

test('a command whose response is lost may have arrived, and the error names it', async (t) => {
  const { ctl, stderr, proxy, puppet } = await world(t);
  proxy.swallow('responses');
  const running = ctl('restart', 'deploy/web');
  const { context } = await puppet.call(0);
  proxy.cut();
  t.is(await running, 1);
  t.regex(stderr.text, new RegExp(`the command may have arrived; to follow it: ctl watch ${context.id}\n`));
});

test('exec fails at once with an error', async (t) => {
  const { terminal, shown } = typedTerminal();
  const { ctl, stderr, proxy } = await world(t, terminal);
  const running = ctl('exec', 'web-0', '-i', '--', 'cat');
  await eventually('it runs', () => shown.text === 'typed');
  proxy.cut();
  t.is(await running, 1);
  t.regex(stderr.text, /Error: the connection to the control plane was lost; the program may have been ended by that/);
});

test('cp does not say that the file was copied', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-cut-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'big'), Buffer.alloc(64 * 1024 * 1024));
  const { ctl, stderr, proxy, received } = await world(t);
  const running = ctl('cp', join(folder, 'big'), 'web-0:/tmp/big');
  await eventually('it copies', () => received.bytes > 0);
  proxy.cut();
  t.is(await running, 1);
  t.regex(stderr.text, /Error: (the connection to the control plane was lost|cannot open the session)/);
  t.notRegex(stderr.text, /copied/);
});

test('logs continue after their last line', async (t) => {
  const { ctl, stdout, stderr, proxy } = await world(t);
  const running = ctl('logs', 'web-0', '-f');
  await eventually('a line is printed', () => stdout.text === 'line 1\n');
  proxy.cut();
  await eventually('it says so', () => stderr.text === lostNotice);
  proxy.heal();
  t.is(await running, 0, stderr.text);
  t.is(stdout.text, 'line 1\nline 2\n');
  t.is(stderr.text, `${lostNotice}connected again\n`);
});

test('port-forward closes its connections, and serves new ones later', async (t) => {
  const { ctl, interrupt, stdout, stderr, proxy } = await world(t);
  const running = ctl('port-forward', 'web-0', ':80');
  await eventually('it listens', () => stdout.text.includes('Forwarding'));
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(stdout.text)?.[1]);
  const opened = () => connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
  const first = opened();
  first.write('ping');
  await once(first, 'data');
  proxy.cut();
  await once(first, 'close');
  t.regex(stderr.text, /^port 80: the connection to the control plane was lost/);
  const refused = opened();
  refused.resume();
  await once(refused, 'close');
  t.regex(stderr.text, /port 80: cannot reach the control plane at /);
  proxy.heal();
  const later = opened();
  later.write('pong');
  t.is(String((await once(later, 'data'))[0]), 'pong');
  later.destroy();
  interrupt();
  t.is(await running, 130);
});
