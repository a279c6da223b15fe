import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ControlPlane } from '../../src/control-plane/index.ts';
import { connectCluster } from '../../src/kube/cluster.ts';
import { stringAt } from '../../src/objects/fields.ts';
import { uniqueName } from '../api/environment.ts';
import { eventually } from '../support/eventually.ts';
import { program } from '../support/program.ts';
import { type AgentProcess, startAgentProcess } from './agent-process.ts';
import { kubeconfigFile, kubeconfigText } from './real-cluster.ts';

// The agent is killed in the middle of everything that has a stream, or follows something. Needs
// the image localhost/node:24 on the node.

const namespace = uniqueName('e2e');
const cluster = connectCluster({ text: kubeconfigText() });
const image = 'localhost/node:24';

const pod = (name: string, script: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'main', image, imagePullPolicy: 'Never', command: ['node', '-e', script] }],
  },
});

test.before('pods', async () => {
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const echo = "require('net').createServer((s) => s.pipe(s).on('error', () => {})).listen(8000)";
  await cluster.create(pod('echo', echo));
  const lines = "let i = 0; setInterval(() => { console.log('line', i++); if (i > 300) process.exit() }, 100)";
  await cluster.create(pod('talks', lines));
  await eventually('the pods run', async () => {
    const pods = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace });
    return pods.every((one) => stringAt(one, 'status', 'phase') === 'Running');
  });
});

test.after.always('namespace', async () => {
  await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  await cluster.close();
});

/** Starts a control plane, and an agent that can be killed and started again. */
async function world(t: ExecutionContext) {
  const plane = new ControlPlane();
  const port = await plane.listen(0);
  const agentId = uniqueName('e2e');
  const agents: AgentProcess[] = [];
  const start = async () => {
    const place = ['--control-plane', `ws://127.0.0.1:${port}`, '--agent-id', agentId];
    agents.push(startAgentProcess([...place, '--kubeconfig', kubeconfigFile(), '--allow-rights', 'read,exec,logs']));
    await plane.waitForAgent(agentId, AbortSignal.timeout(60_000));
  };
  const kill = async () => {
    const agent = agents.at(-1);
    if (agent) process.kill(agent.pid, 'SIGKILL');
    await agent?.exited;
  };
  t.teardown(async () => {
    await kill().catch(() => undefined);
    await plane.close();
  });
  await start();
  const ctl = (...args: string[]) => {
    const [verb = '', ...rest] = args;
    const end = rest.indexOf('--') < 0 ? rest.length : rest.indexOf('--');
    const server = ['--server', `http://127.0.0.1:${port}`, '--agent', agentId];
    return watched(t, [verb, ...rest.slice(0, end), ...server, ...rest.slice(end)]);
  };
  return { start, kill, ctl };
}

/** Runs `helm-agent ctl` in a process of its own, and keeps what it prints. */
function watched(t: ExecutionContext, args: readonly string[]) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [program, 'ctl', ...args]);
  t.teardown(() => child.kill('SIGKILL'));
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (bytes: Buffer) => (texts.stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (texts.stderr += bytes.toString()));
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then(() => child.exitCode);
  return { child, texts, ended };
}

test('exec ends with an error that says so', async (t) => {
  const { kill, ctl } = await world(t);
  const { child, texts, ended } = ctl('exec', 'echo', '-n', namespace, '-i', '--', 'cat');
  child.stdin.write('ready\n');
  await eventually('it runs', () => texts.stdout.includes('ready'));
  await kill();
  t.is(await ended, 1);
  t.regex(texts.stderr, /the connection (to the agent )?(is|was) lost|stream to the agent has ended/, texts.stderr);
});

test('cp ends with an error, and does not say that the file is there', async (t) => {
  const { kill, ctl } = await world(t);
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-e2e-'));
  t.teardown(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'big'), randomBytes(256 * 1024 * 1024));
  const { texts, ended } = ctl('cp', join(folder, 'big'), `echo:/tmp/big`, '-n', namespace);
  const size = async () => {
    const look = ctl('exec', 'echo', '-n', namespace, '--', 'sh', '-c', 'stat -c %s /tmp/big 2>/dev/null || echo 0');
    await look.ended;
    return Number(look.texts.stdout);
  };
  await eventually('some of it has arrived', async () => (await size()) > 0);
  await kill();
  t.is(await ended, 1, texts.stderr);
  t.regex(texts.stderr, /lost|ended/, texts.stderr);
});

test('logs continue where they have ended when the agent is back, without a lost or repeated line', async (t) => {
  t.timeout(180_000);
  const { kill, start, ctl } = await world(t);
  const { texts, ended } = ctl('logs', 'talks', '-f', '-n', namespace);
  await eventually('lines arrive', () => texts.stdout.split('\n').length > 5);
  await kill();
  await start();
  t.is(await ended, 0, texts.stderr);
  t.is(texts.stdout, Array.from({ length: 301 }, (_, index) => `line ${index}\n`).join(''), texts.stderr);
});

test('port-forward closes its connections, and serves new ones when the agent is back', async (t) => {
  t.timeout(180_000);
  const { kill, start, ctl } = await world(t);
  const { child, texts } = ctl('port-forward', 'echo', ':8000', '-n', namespace);
  await eventually('it listens', () => /127\.0\.0\.1:\d+/.test(texts.stdout));
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(texts.stdout)?.[1]);
  const open = () => {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined);
    t.teardown(() => socket.destroy());
    let echoed = '';
    socket.on('data', (bytes: Buffer) => (echoed += bytes.toString()));
    socket.write('ping');
    return { socket, echoed: () => echoed };
  };
  const first = open();
  await eventually('it is connected', () => first.echoed() === 'ping');
  const closed = once(first.socket, 'close');
  await kill();
  await closed;
  await start();
  await eventually('a new connection works', async () => {
    const { socket, echoed } = open();
    try {
      await eventually('it responds', () => echoed() === 'ping', 5000);
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  });
  t.is(child.exitCode, null);
});

test('a watch of objects does not hang: it continues, or says that its command has ended', async (t) => {
  t.timeout(180_000);
  const { kill, start, ctl } = await world(t);
  const { texts, ended } = ctl('list-objects', 'pods', '-n', namespace, '--watch');
  await eventually('the pods are listed', () => (texts.stdout + texts.stderr).includes('echo'));
  await kill();
  await start();
  t.is(await ended, 1, texts.stdout + texts.stderr);
  t.regex(texts.stderr, /result_unknown|lost|ended|restarted|process/i);
});
