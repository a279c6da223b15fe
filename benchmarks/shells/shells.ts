// Measures terminals, contents of files, exit codes and logs through an agent, and the first two
// beside kubectl on the same cluster.
//   KUBECONFIG=FILE HELM_BIN=FOLDER npm run -s bench:shells [-- --image NAME --keys N --mib N
//     --commands N --jobs N]
// Needs kubectl in HELM_BIN, script(1), and an image on the node with sh and coreutils. Creates the
// namespace bench-shells-*, and deletes it.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { stringAt } from '../../src/objects/fields.ts';
import { readLogRecords } from '../../src/protocol/streams/log-records.ts';
import { channels, encodeMessage } from '../../src/protocol/streams/messages.ts';
import { type Harness, openHarness } from '../../test/e2e/open-harness.ts';
import { median } from '../statistics.ts';

const { values: flags } = parseArgs({
  options: {
    image: { type: 'string', default: 'localhost/node:24' },
    keys: { type: 'string', default: '200' },
    mib: { type: 'string', default: '1024' },
    commands: { type: 'string', default: '10000' },
    jobs: { type: 'string', default: '50' },
  },
});
const { KUBECONFIG: kubeconfig, HELM_BIN: programs } = process.env;
if (kubeconfig === undefined || programs === undefined) {
  console.error('usage: KUBECONFIG=FILE HELM_BIN=FOLDER npm run -s bench:shells [-- --commands N --jobs N --mib N]');
  process.exit(2);
}
const program = fileURLToPath(new URL('../../src/bin/helm-agent.ts', import.meta.url));
const namespace = `bench-shells-${process.pid}`;

/** Number of terminals, and of logs, that are open at once. */
const atOnce = 20;

/** Number of commands, and of Jobs, that run at a time. */
const [commandsAtOnce, jobsAtOnce] = [8, 5];

/** Lines of each Job, of which the last one has no line break. */
const jobLines = 200;

const container = (script: string) => ({
  ...{ name: 'main', image: flags.image, imagePullPolicy: 'Never' },
  command: ['sh', '-c', script],
});

async function createPod({ cluster }: Harness, name: string, script: string): Promise<void> {
  const spec = { terminationGracePeriodSeconds: 0, containers: [container(script)] };
  await cluster.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec });
  for (;;) {
    const pod = await cluster.get({ apiVersion: 'v1', kind: 'Pod', name, namespace });
    if (stringAt(pod, 'status', 'phase') === 'Running') return;
    await sleep(200);
  }
}

/** Returns the words that run a program in the pod, through the agent and with kubectl. */
function execLines({ url, agentId }: Harness): Record<string, string[]> {
  return {
    'helm-agent ctl': [process.execPath, program, 'ctl', 'exec', 'tools', '-n', namespace].concat(
      '--server',
      url,
      '--agent',
      agentId,
    ),
    kubectl: [`${programs}/kubectl`, 'exec', 'tools', '-n', namespace],
  };
}

/** Returns the times from a key to its return, in milliseconds. */
async function keyTimes(line: readonly string[], count: number): Promise<number[]> {
  // the local terminal must not be the one that echoes
  const command = [...line, '-it', '--', 'sh', '-c', `'stty raw -echo; echo ready; exec cat'`].join(' ');
  const { stdin, stdout, ...child } = started('script', ['-qfec', command, '/dev/null']);
  try {
    let shown = '';
    while (!shown.includes('ready')) shown += String((await once(stdout, 'data'))[0]);
    await sleep(500);
    const times: number[] = [];
    for (let key = 0; key < count; key++) {
      const start = performance.now();
      const returned = once(stdout, 'data');
      stdin.write('x');
      await returned;
      times.push(performance.now() - start);
      await sleep(10);
    }
    return times;
  } finally {
    child.kill();
  }
}

/** Returns the times of commands that read little, which wait as long as a ping does. */
async function packetTimes({ plane, agentId }: Harness, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let packet = 0; packet < count; packet++) {
    const start = performance.now();
    await plane.getPolicy(agentId, {}).result;
    times.push(performance.now() - start);
    await sleep(50);
  }
  return times;
}

function started(name: string, args: readonly string[]) {
  const child = spawn(name, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const { stdin, stdout } = child;
  return { stdin, stdout, kill: () => child.kill('SIGKILL') };
}

/** Returns the seconds from the first byte of a file of the pod to its end, and its digest. */
async function readSeconds(line: readonly string[]) {
  const [name = '', ...args] = line;
  const child = spawn(name, [...args, '--', 'cat', '/tmp/data'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const hash = createHash('sha256');
  await once(child.stdout, 'readable');
  const start = performance.now();
  for await (const bytes of child.stdout) hash.update(bytes as Buffer); // no encoding is set
  return { seconds: (performance.now() - start) / 1000, digest: hash.digest('hex') };
}

/** Runs `perform` for each number below a count, some at a time. */
async function inTurns(count: number, atATime: number, perform: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < count) await perform(next++);
  };
  await Promise.all(Array.from({ length: atATime }, work));
}

/** Returns how many short commands have ended with the wrong exit code. */
async function wrongExitCodes({ plane, agentId }: Harness, count: number): Promise<number> {
  let wrong = 0;
  await inTurns(count, commandsAtOnce, async (index) => {
    const expected = index % 256;
    const command = plane.execPod(agentId, {
      ...{ namespace, name: 'tools' },
      command: ['sh', '-c', `exit ${expected}`],
    });
    const stream = await plane.openStream(command.key);
    stream.resume().end();
    const result = await command.result;
    if (!result.ok || result.exitCode !== expected) wrong++;
  });
  return wrong;
}

/** Follows Jobs from their start to their end. Returns how many lost or repeated a line. */
async function wrongLogs({ plane, agentId, cluster }: Harness, count: number): Promise<number> {
  const script = `i=1; while [ $i -lt ${jobLines} ]; do echo line $i; i=$((i+1)); done; printf 'line ${jobLines}'`;
  const expected = Array.from({ length: jobLines }, (_, index) => `line ${index + 1}`).join('\n');
  let wrong = 0;
  await inTurns(count, jobsAtOnce, async (index) => {
    const name = `job-${index}`;
    const template = { spec: { restartPolicy: 'Never', containers: [container(script)] } };
    const spec = { backoffLimit: 0, ttlSecondsAfterFinished: 60, template };
    await cluster.create({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace }, spec });
    const command = plane.podLogs(agentId, { namespace, name: `job/${name}`, follow: true });
    const stream = await plane.openStream(command.key);
    const parts: Buffer[] = [];
    for await (const { bytes } of readLogRecords(stream)) parts.push(bytes);
    const result = await command.result;
    if (!result.ok || Buffer.concat(parts).toString().trimEnd() !== expected) wrong++;
  });
  return wrong;
}

/** Opens terminals in the pod, in each of which a key is pressed each 0.1 s, and followed logs. */
async function openMany({ plane, agentId }: Harness): Promise<{ close: () => void; bytes: () => number }> {
  const streams: Duplex[] = [];
  let bytes = 0;
  for (let index = 0; index < atOnce; index++) {
    const shell = plane.execPod(agentId, {
      ...{ namespace, name: 'tools', stdin: true, tty: true },
      command: ['cat'],
    });
    const log = plane.podLogs(agentId, { namespace, name: 'talks', follow: true, tail: 1 });
    for (const { key } of [shell, log]) {
      const stream = await plane.openStream(key);
      stream.on('data', (chunk: Buffer) => (bytes += chunk.length)).on('error', () => undefined);
      streams.push(stream);
    }
  }
  const key = encodeMessage({ channel: channels.input, bytes: Buffer.from('x') });
  // every second stream is a terminal
  const typing = setInterval(() => streams.forEach((stream, index) => index % 2 === 0 && stream.write(key)), 100);
  return {
    close: () => {
      clearInterval(typing);
      for (const stream of streams) stream.destroy();
    },
    bytes: () => bytes,
  };
}

/** Returns the resident memory of the agent, in MiB. */
async function agentMemory({ agentPid }: Harness): Promise<number> {
  const status = await readFile(`/proc/${agentPid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

/** Starts an output without end that no one reads any more after its first bytes. */
async function stallReader({ plane, agentId }: Harness): Promise<Duplex> {
  const command = plane.execPod(agentId, { namespace, name: 'tools', command: ['cat', '/dev/zero'] });
  const stream = await plane.openStream(command.key);
  await once(stream, 'readable');
  return stream.on('error', () => undefined);
}

function percentile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

function keyRow(title: string, times: readonly number[]): void {
  console.log(`| ${title} | ${median(times).toFixed(1)} | ${percentile(times, 0.99).toFixed(1)} |`);
}

async function measure(harness: Harness): Promise<void> {
  const [keys, mib] = [Number(flags.keys), Number(flags.mib)];
  const lines = execLines(harness);
  await createPod(harness, 'tools', 'sleep infinity');
  await createPod(harness, 'talks', 'while :; do date; sleep 0.1; done');

  console.log('| Key press | Median (ms) | 99th percentile (ms) |\n|---|---:|---:|');
  for (const [title, line] of Object.entries(lines)) keyRow(title, await keyTimes(line, keys));
  const many = await openMany(harness);
  for (const [title, line] of Object.entries(lines)) {
    keyRow(`${title}, beside ${atOnce} terminals and ${atOnce} logs`, await keyTimes(line, keys));
  }
  keyRow('A packet to the agent and back, on the same connection', await packetTimes(harness, keys));
  const received = many.bytes();
  many.close();
  console.log(`\n${atOnce} terminals and ${atOnce} logs have sent ${received} bytes meanwhile`);

  const before = await agentMemory(harness);
  const stalled = await stallReader(harness);
  await sleep(10_000);
  const after = await agentMemory(harness);
  console.log(`\n| Stalled reader, after 10 s | |\n|---|---:|`);
  console.log(`| Memory of the agent before and then (MiB) | ${before.toFixed(1)}, ${after.toFixed(1)} |`);
  console.log(`| Bytes that wait in the reader | ${stalled.readableLength} |`);
  keyRow('Key press beside it (median, 99th percentile)', await keyTimes(lines['helm-agent ctl'] ?? [], keys));
  stalled.destroy();

  const make = spawn(`${programs}/kubectl`, [
    ...['exec', 'tools', '-n', namespace, '--', 'sh', '-c'],
    `head -c ${mib * 1024 * 1024} /dev/urandom > /tmp/data && sha256sum /tmp/data`,
  ]);
  const [expected = ''] = (await text(make.stdout)).split(' ');
  console.log(`\n| ${mib} MiB by exec cat | Seconds | MiB/s | Byte for byte |\n|---|---:|---:|---|`);
  for (const [title, line] of Object.entries(lines)) {
    const { seconds, digest } = await readSeconds(line);
    const isSame = digest === expected ? 'yes' : 'NO';
    console.log(`| ${title} | ${seconds.toFixed(1)} | ${(mib / seconds).toFixed(0)} | ${isSame} |`);
  }

  const commands = Number(flags.commands);
  const start = performance.now();
  const wrong = await wrongExitCodes(harness, commands);
  const each = (performance.now() - start) / commands;
  console.log(
    `\nexit codes: ${commands - wrong} of ${commands} right, ${each.toFixed(0)} ms each with ${commandsAtOnce} at a time`,
  );

  const jobs = Number(flags.jobs);
  const lost = await wrongLogs(harness, jobs);
  console.log(`followed Jobs: ${jobs - lost} of ${jobs} whole, with ${jobLines} lines each`);
}

const harness = await openHarness({
  kubeconfig: readFileSync(kubeconfig, 'utf8'),
  localCharts: '.',
  arguments: ['--allow-rights', 'read,exec,logs'],
});
try {
  await harness.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await measure(harness);
} finally {
  await harness.cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  await harness.close();
}
