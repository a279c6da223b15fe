// Measures the bytes that a program in a container writes: their speed, and the processor time of
// each process between. With a cluster, by turns with kubectl; otherwise with a simulated API
// server, whose processor time is left out.
//   [KUBECONFIG=FILE HELM_BIN=FOLDER] npm run -s bench:throughput [-- --mib N --rounds N
//     --image NAME --node FLAGS]
// --node: flags of Node, such as those of the image, or --cpu-prof
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connectCluster, type KubeCluster } from '../../src/kube/cluster.ts';
import { stringAt } from '../../src/objects/fields.ts';
import { useOf } from '../process-use.ts';
import { median } from '../statistics.ts';

const option = (value: string) => ({ type: 'string' as const, default: value });
const { values: flags } = parseArgs({
  options: { mib: option('1024'), rounds: option('3'), image: option('localhost/node:24'), node: option('') },
});
const { KUBECONFIG: given, HELM_BIN: programs = '' } = process.env;
const bytes = Number(flags.mib) * 1024 * 1024;
const program = fileURLToPath(new URL('../../src/bin/helm-agent.ts', import.meta.url));
const namespace = `bench-throughput-${process.pid}`;
const node = [process.execPath, ...flags.node.split(' ').filter((flag) => flag !== '')];
const children: ChildProcess[] = [];

function start(args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [...node.slice(1), program, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, HELM_AGENT_LOG_LEVEL: 'error' },
  });
  children.push(child);
  return child;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function eventually(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await isTrue().catch(() => false)) return;
    await sleep(200);
  }
  throw new Error(`not in time: ${what}`);
}

/** Returns the text of a kubeconfig for a simulated API server. */
async function simulated(): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('simulated-api.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return await text(child.stdout);
}

async function createPod(cluster: KubeCluster): Promise<void> {
  const container = { name: 'main', image: flags.image, imagePullPolicy: 'Never', command: ['sleep', 'infinity'] };
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await cluster.create({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'tools', namespace } },
    spec: { terminationGracePeriodSeconds: 0, containers: [container] },
  });
  await eventually('the pod runs', async () => {
    const pod = await cluster.get({ apiVersion: 'v1', kind: 'Pod', name: 'tools', namespace });
    return stringAt(pod, 'status', 'phase') === 'Running';
  });
}

/** Runs a program whose output goes to sha256sum. Times begin with its first byte. */
async function read(line: readonly string[], others: Readonly<Record<string, number>>) {
  const [name = '', ...args] = line;
  const child = spawn(name, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const hash = spawn('sha256sum', { stdio: ['pipe', 'pipe', 'inherit'] });
  const digest = text(hash.stdout);
  const cpu: Record<string, number> = {};
  const started = performance.now();
  await once(child.stdout, 'readable');
  const first = performance.now();
  const pids = { ...others, reader: child.pid ?? 0 };
  const before = Object.entries(pids).map(([key, pid]) => [key, pid, useOf(pid).cpu] as const);
  let received = 0;
  child.stdout.on('data', (part: Buffer) => (received += part.length)).pipe(hash.stdin);
  let last = before.map(([key, , was]) => [key, was] as const);
  const timer = setInterval(() => {
    try {
      last = before.map(([key, pid]) => [key, useOf(pid).cpu] as const);
    } catch {
      // the reader has ended
    }
  }, 20);
  await once(child, 'close');
  clearInterval(timer);
  const end = performance.now();
  for (const [index, [key, , was]] of before.entries()) cpu[key] = (last[index]?.[1] ?? was) - was;
  const short = received === bytes ? '' : ` (${received} bytes)`;
  const [seconds, start] = [(end - first) / 1000, (first - started) / 1000];
  return { seconds, start, cpu, digest: (await digest).slice(0, 12) + short };
}

async function measure(folder: string): Promise<void> {
  const kubeconfig = given ?? join(folder, 'kubeconfig');
  if (given === undefined) await writeFile(kubeconfig, await simulated(), { mode: 0o600 });
  const cluster = connectCluster({ file: kubeconfig });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  try {
    await createPod(cluster);
    const plane = start(['control-plane', '--port', String(port), '--data', 'memory']);
    await eventually('the control plane responds', async () => (await fetch(`${url}/readyz`)).ok);
    const agent = start([
      ...['run', '--control-plane', url.replace('http', 'ws'), '--agent-id', 'edge-1', '--kubeconfig', kubeconfig],
      ...['--allow-rights', 'read,exec'],
    ]);
    await eventually('the agent is connected', async () => {
      const agents = await (await fetch(`${url}/api/agents`)).text();
      return agents.includes('edge-1');
    });
    const command = given === undefined ? ['send', String(bytes)] : ['cat', '/tmp/data'];
    const make = [`head -c ${bytes} /dev/urandom > /tmp/data`];
    if (given !== undefined) {
      const made = spawn(`${programs}/kubectl`, ['exec', 'tools', '-n', namespace, '--', 'sh', '-c', ...make]);
      await once(made, 'close');
    }
    const words = ['exec', 'tools', '-n', namespace];
    const ctl = [...node, program, 'ctl', ...words, '--server', url, '--agent', 'edge-1', '--', ...command];
    const kubectl = [`${programs}/kubectl`, ...words, '--kubeconfig', kubeconfig, '--', ...command];
    const speeds: Record<string, number[]> = {};
    console.log('| Program | MiB/s | Seconds | Start (s) | Processor time (s) | Digest | Load |');
    console.log('|---|---:|---:|---:|---|---|---:|');
    for (let round = 0; round < Number(flags.rounds); round++) {
      for (const [title, line] of Object.entries(given === undefined ? { ctl } : { ctl, kubectl })) {
        const others = title === 'ctl' ? { agent: agent.pid ?? 0, plane: plane.pid ?? 0 } : {};
        const { seconds, start: wait, cpu, digest } = await read(line, others);
        const speed = Number(flags.mib) / seconds;
        (speeds[title] ??= []).push(speed);
        const used = Object.entries(cpu).map(([key, time]) => `${key} ${time.toFixed(2)}`);
        console.log(
          `| ${title} | ${speed.toFixed(0)} | ${seconds.toFixed(2)} | ${wait.toFixed(2)} | ${used.join(', ')} | ${digest} | ${loadavg()[0]?.toFixed(1) ?? ''} |`,
        );
      }
    }
    for (const [title, all] of Object.entries(speeds)) console.log(`${title}: median ${median(all).toFixed(0)} MiB/s`);
  } finally {
    await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace }).catch(() => undefined);
    await cluster.close();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'bench-throughput-'));
try {
  await measure(folder);
} finally {
  for (const child of children) child.kill('SIGTERM');
  await rm(folder, { recursive: true });
}
