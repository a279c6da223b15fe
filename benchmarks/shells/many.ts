// Counts short commands whose exit codes are right, and Jobs whose logs are followed without a lost
// line. With a cluster, in its pods; otherwise with a simulated API server, where it also measures
// the memory of the agent while a long log has a slow reader.
//   [KUBECONFIG=FILE] npm run -s bench:sessions [-- --commands N --jobs N --from N --seconds N
//     --jobs-at-once N --log MIB]
// --from: number of the first command and Job, to continue an earlier run. --seconds: the most for
// each part; what was not run by then is not counted. --image: with sh
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { KubeCluster } from '../../src/kube/cluster.ts';
import { stringAt } from '../../src/objects/fields.ts';
import { readLogRecords } from '../../src/protocol/streams/log-records.ts';
import { type Harness, openHarness } from '../../test/e2e/open-harness.ts';
import { useOf } from '../process-use.ts';

const option = (value: string) => ({ type: 'string' as const, default: value });
const { values: flags } = parseArgs({
  options: {
    ...{ commands: option('10000'), jobs: option('10000'), from: option('0'), seconds: option('600') },
    ...{ image: option('localhost/node:24'), log: option('1024'), 'jobs-at-once': option('20') },
  },
});
const { KUBECONFIG: given } = process.env;
const namespace = `bench-sessions-${process.pid}`;
const from = Number(flags.from);

/** Number of commands, and of Jobs, that run at a time. */
const [commandsAtOnce, jobsAtOnce] = [32, Number(flags['jobs-at-once'])];

/** Lines of each Job, of which the last one has no line break. The simulated ones have them all. */
const jobLines = 100;
const lines = Array.from({ length: jobLines }, (_, index) => `line ${index + 1}`).join('\n');
const script = `i=1; while [ $i -lt ${jobLines} ]; do echo line $i; i=$((i+1)); done; printf 'line ${jobLines}'`;

interface Count {
  run: number;
  right: number;
  /** The first few that were wrong, as text. */
  problems: string[];
}

/** Runs `perform` for numbers from `--from` on, some at a time. It returns a problem, if any. */
async function counted(
  count: number,
  atATime: number,
  perform: (index: number) => Promise<string | undefined>,
): Promise<Count> {
  const result: Count = { run: 0, right: 0, problems: [] };
  const end = performance.now() + Number(flags.seconds) * 1000;
  let next = from;
  const work = async () => {
    while (next < from + count && performance.now() < end) {
      const index = next++;
      const problem = await perform(index);
      result.run++;
      if (problem === undefined) result.right++;
      else if (result.problems.length < 5) result.problems.push(`${index}: ${problem.slice(0, 3000)}`);
      if (result.run % 100 === 0) console.error(`${result.right} of ${result.run} so far`);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return result;
}

async function exitCode({ plane, agentId }: Harness, index: number): Promise<string | undefined> {
  const expected = index % 256;
  const command = plane.execPod(agentId, { namespace, name: 'tools', command: ['sh', '-c', `exit ${expected}`] });
  const stream = await plane.openStream(command.key);
  stream.resume().end();
  const result = await command.result;
  return result.ok && result.exitCode === expected ? undefined : JSON.stringify(result);
}

async function followedJob({ plane, agentId, cluster }: Harness, index: number): Promise<string | undefined> {
  const name = `job-${index}`;
  const container = { name: 'main', image: flags.image, imagePullPolicy: 'Never', command: ['sh', '-c', script] };
  const template = {
    metadata: { annotations: { 'sandbox.helm-agent/log': lines } },
    spec: {
      ...{ restartPolicy: 'Never', terminationGracePeriodSeconds: 0, containers: [container] },
      // the node sets up less for each pod
      ...{ hostNetwork: true, automountServiceAccountToken: false, enableServiceLinks: false },
    },
  };
  const job = { apiVersion: 'batch/v1', kind: 'Job', name, namespace };
  await cluster.create({
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace } },
    spec: { backoffLimit: 0, template },
  });
  const command = plane.podLogs(agentId, { namespace, name: `job/${name}`, follow: true });
  const stream = await plane.openStream(command.key);
  const parts: Buffer[] = [];
  for await (const { bytes } of readLogRecords(stream)) parts.push(bytes);
  const result = await command.result;
  const got = Buffer.concat(parts).toString().trimEnd();
  const isWhole = result.ok && got === lines;
  const problem = isWhole
    ? undefined
    : `${got.length} bytes, ${JSON.stringify(result)}, ${await stateOf(cluster, name)}`;
  await cluster.delete(job);
  return problem;
}

/** Returns the state of the containers of a Job, and how much of their logs the cluster has. */
async function stateOf(cluster: KubeCluster, name: string): Promise<string> {
  const pods = await cluster.list({ apiVersion: 'v1', kind: 'Pod', namespace, labelSelector: `job-name=${name}` });
  const states = pods.map(async ({ metadata, status }) => {
    let bytes = 0;
    const log = { namespace, name: metadata.name, container: 'main' };
    try {
      const { signal } = new AbortController();
      for await (const chunk of cluster.streamLog(log, { signal })) bytes += chunk.length;
    } catch (error) {
      return `${JSON.stringify(status)}, no log: ${String(error)}`;
    }
    return `${JSON.stringify(status)}, ${bytes} bytes with times`;
  });
  return (await Promise.all(states)).join('; ');
}

function report(title: string, { run, right, problems }: Count, started: number): void {
  const seconds = (performance.now() - started) / 1000;
  const load = loadavg()[0]?.toFixed(0) ?? '';
  console.log(`${title}: ${right} of ${run} from ${from} on, ${seconds.toFixed(0)} s, load average ${load}`);
  for (const problem of problems) console.log(`  ${problem}`);
}

/** Reads a long log with pauses, and prints the memory of the agent. */
async function slowReader(running: Harness): Promise<void> {
  const { plane, agentId, agentPid } = running;
  await createPod(running, 'long');
  const before = useOf(agentPid);
  const command = plane.podLogs(agentId, { namespace, name: 'long' });
  const stream = await plane.openStream(command.key);
  let [bytes, pausedAt, waiting] = [0, 0, 0];
  for await (const { bytes: part } of readLogRecords(stream)) {
    bytes += part.length;
    if (bytes - pausedAt < 4 * 1024 * 1024) continue;
    pausedAt = bytes;
    await sleep(100);
    waiting = Math.max(waiting, stream.readableLength);
  }
  const { ok } = await command.result;
  const { resident, peak } = useOf(agentPid);
  const mebibytes = (bytes / 1024 / 1024).toFixed(0);
  console.log(`a log with a slow reader: ${mebibytes} MiB without times, ${ok ? 'whole' : 'BROKEN OFF'}`);
  console.log(
    `  agent: ${before.resident.toFixed(0)} MiB before, ${resident.toFixed(0)} then, ${peak.toFixed(0)} at the peak`,
  );
  console.log(`  most that waited in the reader: ${waiting} bytes`);
}

async function createPod({ cluster }: Harness, name: string): Promise<void> {
  const container = { name: 'main', image: flags.image, imagePullPolicy: 'Never', command: ['sleep', 'infinity'] };
  await cluster.create({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } },
    spec: { terminationGracePeriodSeconds: 0, containers: [container] },
  });
  for (let tries = 0; tries < 300; tries++) {
    const pod = await cluster.get({ apiVersion: 'v1', kind: 'Pod', name, namespace });
    if (stringAt(pod, 'status', 'phase') === 'Running') return;
    await sleep(200);
  }
  throw new Error('the pod does not run');
}

const api =
  given === undefined
    ? spawn(process.execPath, [fileURLToPath(new URL('simulated-api.ts', import.meta.url)), flags.log], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
    : undefined;
const harness = await openHarness({
  kubeconfig: api === undefined ? readFileSync(given ?? '', 'utf8') : await text(api.stdout),
  localCharts: '.',
  arguments: ['--allow-rights', 'read,exec,logs'],
});
try {
  await harness.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await createPod(harness, 'tools');
  let started = performance.now();
  const codes = await counted(Number(flags.commands), commandsAtOnce, (index) => exitCode(harness, index));
  report('exit codes', codes, started);
  started = performance.now();
  const jobs = await counted(Number(flags.jobs), jobsAtOnce, (index) => followedJob(harness, index));
  report(`followed Jobs of ${jobLines} lines`, jobs, started);
  if (api !== undefined) await slowReader(harness);
} finally {
  await harness.cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  await harness.close();
  api?.kill('SIGTERM');
}
