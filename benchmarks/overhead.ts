// Measures what an installation costs beyond the requests that it cannot do without: this agent,
// and by turns a client that only sends the applies and two writes of the record, all at once.
//   npm run -s bench:overhead -- --kubeconfig FILE [--rounds N] [--agent PROGRAM]
//     [--journal cluster]
// The installations do not wait for readiness, which takes the time of Kubernetes' controllers.
// Creates the namespaces bench-agent-PID and bench-bare-PID, and deletes them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connectCluster } from '../src/kube/cluster.ts';
import type { AgentProcess } from './agent-process.ts';
import { type BareClient, openBareClient } from './bare-client.ts';
import { type ChartName, chartSizes, objectsOf, writeCharts } from './bench-chart.ts';
import { buildBundle, startImageAgent } from './image-agent.ts';
import { median } from './statistics.ts';

const { values: flags } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    rounds: { type: 'string', default: '15' },
    agent: { type: 'string' },
    journal: { type: 'string', default: 'memory' },
  },
});
if (flags.kubeconfig === undefined) {
  console.error(
    'usage: npm run -s bench:overhead -- --kubeconfig FILE [--rounds N] [--agent PROGRAM] [--journal cluster]',
  );
  process.exit(2);
}
const kubeconfig = resolve(flags.kubeconfig);
const rounds = Number(flags.rounds);
const together = 20;
/** Time for the controllers of the cluster to end what a removal has left to do. */
const settleMs = 500;

interface Installer {
  install(release: string, chart: ChartName): Promise<number>;
  remove(release: string, chart: ChartName): Promise<void>;
}

const folder = await mkdtemp(join(tmpdir(), 'bench-overhead-'));
const cluster = connectCluster({ file: kubeconfig });
const namespaces = { agent: `bench-agent-${process.pid}`, bare: `bench-bare-${process.pid}` };
try {
  const charts = join(folder, 'charts');
  await writeCharts(charts);
  for (const name of Object.values(namespaces)) {
    await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  const program = flags.agent ?? (await buildBundle(folder));
  const agent = await startImageAgent(program, kubeconfig, charts, ['--journal', flags.journal]);
  const bare = openBareClient(kubeconfig);
  try {
    await measure(agentInstaller(agent), bareInstaller(bare));
  } finally {
    await agent.close();
    await bare.close();
  }
} finally {
  for (const name of Object.values(namespaces)) await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name });
  await cluster.close();
  await rm(folder, { recursive: true });
}

async function measure(agent: Installer, bare: Installer): Promise<void> {
  for (const chart of ['small', 'large'] as const) {
    await byTurns(`install of ${chartSizes[chart]} objects`, rounds, agent, bare, ['one'], chart);
  }
  const releases = Array.from({ length: together }, (_, index) => `many-${index}`);
  await byTurns(`${together} installs of ${chartSizes.small} objects at once`, rounds, agent, bare, releases, 'small');
}

/** Prints the medians of both, and of the ratios of the rounds. The first round warms up. */
async function byTurns(
  what: string,
  count: number,
  agent: Installer,
  bare: Installer,
  releases: readonly string[],
  chart: ChartName,
): Promise<void> {
  const times: [agent: number, bare: number][] = [];
  for (let round = 0; round <= count; round++) {
    const own = await timeOf(agent, releases, chart);
    const other = await timeOf(bare, releases, chart);
    if (round > 0) times.push([own, other]);
  }
  const [own, other] = [median(times.map(([time]) => time)), median(times.map(([, time]) => time))];
  const ratio = median(times.map(([mine, theirs]) => mine / theirs));
  console.log(`${what}: agent ${own.toFixed(0)} ms, bare ${other.toFixed(0)} ms, ratio ${ratio.toFixed(2)}`);
}

/** Returns the time until the last installation has ended, and removes all of them. */
async function timeOf(installer: Installer, releases: readonly string[], chart: ChartName): Promise<number> {
  const started = performance.now();
  await Promise.all(releases.map((release) => installer.install(release, chart)));
  const time = performance.now() - started;
  for (const release of releases) await installer.remove(release, chart);
  await setTimeout(settleMs);
  return time;
}

function agentInstaller(agent: AgentProcess): Installer {
  const identityOf = (releaseName: string) => ({ releaseName, namespace: namespaces.agent });
  return {
    async install(release, chartName) {
      const options = { chartName, createNamespace: false, wait: false, atomic: false };
      const started = performance.now();
      await agent.perform('install_release', { ...identityOf(release), ...options });
      return performance.now() - started;
    },
    remove: (release) => agent.perform('uninstall_release', { ...identityOf(release), wait: 'hookOnly' }),
  };
}

function bareInstaller(client: BareClient): Installer {
  return {
    install: (release, chart) => client.install(release, namespaces.bare, objectsOf(release, chart)),
    remove: (release, chart) => client.remove(release, namespaces.bare, objectsOf(release, chart)),
  };
}
