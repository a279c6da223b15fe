// Measures what a policy of 100 rules adds to installs and upgrades of 20 objects: agents without a
// policy, with limits, and with conditions, by turns on one cluster.
//   npm run -s bench:policy-deploys -- --kubeconfig FILE [--rounds N] [--agent PROGRAM]…
// Nothing waits for readiness. An upgrade changes all objects. Each case is compared with the agent
// without a policy of the same program and round. Several programs, such as bundles of two commits,
// are measured by turns. Creates the namespace bench-policy-PID, and deletes it.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { connectCluster } from '../src/kube/cluster.ts';
import type { AgentProcess } from './agent-process.ts';
import { limitsFor, onCommand, onObjects, policyText } from './bench-policy.ts';
import { buildBundle, startImageAgent } from './image-agent.ts';
import { median, quantile } from './statistics.ts';

const { values: flags } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    rounds: { type: 'string', default: '30' },
    agent: { type: 'string', multiple: true },
  },
});
if (flags.kubeconfig === undefined) {
  console.error('usage: npm run -s bench:policy-deploys -- --kubeconfig FILE [--rounds N] [--agent PROGRAM]…');
  process.exit(2);
}
const kubeconfig = resolve(flags.kubeconfig);
const rounds = Number(flags.rounds);
const objectCount = 20;
const warmUps = 3;
const noPolicy = 'no policy';
const namespace = `bench-policy-${process.pid}`;

const selector = `namespaces: [${namespace}], releases: ['*'], commands: [deploy]`;
const limits = limitsFor('local:*', 'registry.example.com/*');
const policies: Readonly<Record<string, string | undefined>> = {
  [noPolicy]: undefined,
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
  /** Processor time of all threads of the agent. */
  processor: number;
}

/** An agent with one of the policies. */
interface Case {
  policy: string;
  program: string;
  agent: AgentProcess;
}

type Costs = Record<'install' | 'upgrade', Cost>;

async function deploy(agent: AgentProcess, releaseName: string): Promise<Costs> {
  const release = { releaseName, namespace };
  const chart = { ...release, chartName: 'web', wait: false, atomic: false };
  const costOf = async (type: string, payload: object): Promise<Cost> => {
    const processor = await agent.beginCpu();
    const started = performance.now();
    await agent.perform(type, payload);
    return { time: performance.now() - started, processor: await processor() };
  };
  // starts threads that have ended since the last round
  await agent.perform('install_release', { ...chart, createNamespace: false, values: 'text: zero', dryRun: true });
  const install = await costOf('install_release', { ...chart, createNamespace: false, values: 'text: one' });
  const upgrade = await costOf('upgrade_release', { ...chart, values: 'text: two' });
  await agent.perform('uninstall_release', { ...release, wait: 'hookOnly' });
  return { install, upgrade };
}

/** Deploys with each agent in turn, and prints the costs. The first rounds warm up. */
async function measure(cases: readonly Case[]): Promise<void> {
  const costs = new Map(cases.map((one) => [one, [] as Costs[]]));
  for (let round = -warmUps; round < rounds; round++) {
    const order = [...cases];
    order.push(...order.splice(0, (round + warmUps) % order.length));
    for (const one of order) {
      const found = await deploy(one.agent, `r-${cases.indexOf(one)}`);
      if (round >= 0) costs.get(one)?.push(found);
    }
  }
  const names = new Set(cases.map(({ program }) => program));
  const nameOf = ({ policy, program }: Case) => (names.size > 1 ? `${policy} (${program})` : policy);
  console.log('| Command | Policy | Median, ms | Processor time: median, ms | Least, ms |\n|---|---|---:|---:|---:|');
  for (const what of ['install', 'upgrade'] as const) {
    for (const [one, found] of costs) {
      const processor = found.map((cost) => cost[what].processor);
      const numbers = [median(found.map((cost) => cost[what].time)), median(processor), Math.min(...processor)];
      console.log(`| ${what} | ${nameOf(one)} | ${numbers.map((number) => number.toFixed(1)).join(' | ')} |`);
    }
  }
  for (const what of ['install', 'upgrade'] as const) {
    for (const [one, found] of costs) {
      const without = cases.find(({ policy, program }) => policy === noPolicy && program === one.program);
      const base = (without && costs.get(without)) ?? [];
      if (without === one || base.length === 0) continue;
      const more = found.map((cost, round) => cost[what].processor - (base[round]?.[what].processor ?? Number.NaN));
      const range = [quantile(more, 0.25), quantile(more, 0.75)].map((number) => number.toFixed(1)).join(' to ');
      console.log(
        `${what}, ${nameOf(one)}: ${median(more).toFixed(1)} ms more processor time (half of the rounds: ${range})`,
      );
    }
  }
}

const folder = await mkdtemp(join(tmpdir(), 'bench-policy-'));
const cluster = connectCluster({ file: kubeconfig });
const cases: Case[] = [];
try {
  const charts = join(folder, 'charts');
  await writeChart(charts);
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const programs = flags.agent ?? [await buildBundle(folder)];
  for (const program of programs) {
    for (const [policy, last] of Object.entries(policies)) {
      const path = join(folder, `policy-${cases.length}.yaml`);
      if (last !== undefined) await writeFile(path, policyText(last));
      const more = last === undefined ? [] : ['--policy-file', path];
      cases.push({ policy, program, agent: await startImageAgent(program, kubeconfig, charts, more) });
    }
  }
  console.log(
    `${rounds} rounds, load average before: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  );
  await measure(cases);
  console.log(
    `load average after: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}`,
  );
} finally {
  await Promise.all(cases.map(({ agent }) => agent.close()));
  await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
  await cluster.close();
  await rm(folder, { recursive: true });
}
