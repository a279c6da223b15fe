// Measures what a policy of 100 rules adds to installs and upgrades of 20 objects: agents without a
// policy, with limits, and with conditions, by turns on one cluster.
//   npm run -s bench:policy-deploys -- --kubeconfig FILE [--rounds N] [--agent PROGRAM]
// Nothing waits for readiness. An upgrade changes all objects. Creates the namespace
// bench-policy-PID, and deletes it.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { connectCluster } from '../src/kube/cluster.ts';
import type { AgentProcess } from './agent-process.ts';
import { limitsFor, onCommand, onObjects, policyText } from './bench-policy.ts';
import { buildBundle, startImageAgent } from './image-agent.ts';
import { mean, median } from './statistics.ts';

const { values: flags } = parseArgs({
  options: { kubeconfig: { type: 'string' }, rounds: { type: 'string', default: '30' }, agent: { type: 'string' } },
});
if (flags.kubeconfig === undefined) {
  console.error('usage: npm run -s bench:policy-deploys -- --kubeconfig FILE [--rounds N] [--agent PROGRAM]');
  process.exit(2);
}
const kubeconfig = resolve(flags.kubeconfig);
const rounds = Number(flags.rounds);
const objectCount = 20;
const namespace = `bench-policy-${process.pid}`;

const selector = `namespaces: [${namespace}], releases: ['*'], commands: [deploy]`;
const limits = limitsFor('local:*', 'registry.example.com/*');
const policies: Readonly<Record<string, string | undefined>> = {
  'no policy': undefined,
  '100 rules': `${selector}, ${limits}`,
  '100 rules, conditions on command and chart': `${selector}, ${limits}, conditions: [${onCommand}]`,
  '100 rules, a condition on each object': `${selector}, ${limits}, conditions: [${onCommand}, ${onObjects}]`,
};
const objectText = (index: number) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-${index}
  annotations: { text: {{ .Values.text | quote }} }
spec:
  replicas: 0
  selector:
    matchLabels: { app: {{ .Release.Name }}-${index} }
  template:
    metadata:
      labels: { app: {{ .Release.Name }}-${index} }
    spec:
      containers: [{ name: a, image: "registry.example.com/a:1" }]
`;

async function writeChart(folder: string): Promise<void> {
  await mkdir(join(folder, 'web', 'templates'), { recursive: true });
  await writeFile(join(folder, 'web', 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
  const texts = Array.from({ length: objectCount }, (_, index) => objectText(index));
  await writeFile(join(folder, 'web', 'templates', 'all.yaml'), texts.join('---\n'));
}

/** Milliseconds of a command. */
interface Cost {
  time: number;
  /** Processor time of the agent, in hundredths of a second at best. */
  processor: number;
}

type Costs = Record<'install' | 'upgrade', Cost>;

async function deploy(agent: AgentProcess, releaseName: string): Promise<Costs> {
  const release = { releaseName, namespace };
  const chart = { ...release, chartName: 'web', wait: false, atomic: false };
  const costOf = async (type: string, payload: object): Promise<Cost> => {
    const before = await agent.cpuMs();
    const started = performance.now();
    await agent.perform(type, payload);
    return { time: performance.now() - started, processor: (await agent.cpuMs()) - before };
  };
  const install = await costOf('install_release', { ...chart, createNamespace: false, values: 'text: one' });
  const upgrade = await costOf('upgrade_release', { ...chart, values: 'text: two' });
  await agent.perform('uninstall_release', { ...release, wait: 'hookOnly' });
  return { install, upgrade };
}

/** Deploys with each agent in turn, and prints a table. The first round warms up. */
async function measure(agents: ReadonlyMap<string, AgentProcess>): Promise<void> {
  const costs = new Map([...agents.keys()].map((name) => [name, [] as Costs[]]));
  for (let round = 0; round <= rounds; round++) {
    const order = [...agents];
    order.push(...order.splice(0, round % order.length));
    for (const [index, [name, agent]] of order.entries()) {
      const found = await deploy(agent, `r-${index}`);
      if (round > 0) costs.get(name)?.push(found);
    }
  }
  console.log('| Command | Policy | Median, ms | Least, ms | Processor time, mean, ms |\n|---|---|---:|---:|---:|');
  for (const what of ['install', 'upgrade'] as const) {
    for (const [name, found] of costs) {
      const times = found.map((cost) => cost[what].time);
      const processor = mean(found.map((cost) => cost[what].processor));
      const numbers = [median(times), Math.min(...times), processor].map((number) => number.toFixed(1));
      console.log(`| ${what} | ${name} | ${numbers.join(' | ')} |`);
    }
  }
}

const folder = await mkdtemp(join(tmpdir(), 'bench-policy-'));
const cluster = connectCluster({ file: kubeconfig });
const agents = new Map<string, AgentProcess>();
try {
  const charts = join(folder, 'charts');
  await writeChart(charts);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const program = flags.agent ?? (await buildBundle(folder));
  for (const [name, last] of Object.entries(policies)) {
    const path = join(folder, `policy-${agents.size}.yaml`);
    if (last !== undefined) await writeFile(path, policyText(last));
    const more = last === undefined ? [] : ['--policy-file', path];
    agents.set(name, await startImageAgent(program, kubeconfig, charts, more));
  }
  console.log(
    `${rounds} rounds, load average before: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  );
  await measure(agents);
  console.log(
    `load average after: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  );
} finally {
  await Promise.all([...agents.values()].map((agent) => agent.close()));
  await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  await cluster.close();
  await rm(folder, { recursive: true });
}
