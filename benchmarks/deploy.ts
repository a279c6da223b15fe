// Measures installs on a real cluster: this agent, an agent on Helm's SDK, and helm, in one run.
//   npm run -s bench:deploy -- --kubeconfig FILE [--rounds N] [--agent PROGRAM] [--journal cluster]
// The agent is the bundle as the image runs it (default), or PROGRAM, without a journal in the
// cluster (default) or with one. Creates the namespaces bench-own, bench-sdk and bench-helm, and
// deletes them. Needs Go to build the other two.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { connectCluster } from '../src/kube/cluster.ts';
import type { ObjectRef } from '../src/objects/object.ts';
import { type AgentProcess, startAgentProcess } from './agent-process.ts';
import { type ChartName, chartSizes, writeCharts } from './bench-chart.ts';
import { startCountingProxy } from './counting-proxy.ts';
import { buildHelm, buildSdkAgent } from './helm-engine.ts';
import { buildBundle, startImageAgent } from './image-agent.ts';
import { mean, median } from './statistics.ts';

const { values: flags } = parseArgs({
  options: {
    kubeconfig: { type: 'string' },
    rounds: { type: 'string', default: '10' },
    agent: { type: 'string' },
    journal: { type: 'string', default: 'memory' },
  },
});
if (flags.kubeconfig === undefined) {
  console.error(
    'usage: npm run -s bench:deploy -- --kubeconfig FILE [--rounds N] [--agent PROGRAM] [--journal cluster]',
  );
  process.exit(2);
}
const kubeconfig = resolve(flags.kubeconfig);
const rounds = Number(flags.rounds);
const together = 20;
/** Rounds in which helm takes part: it is slow, and its figure is only for comparison. */
const helmRounds = 2;

type Contender = 'own' | 'sdk' | 'helm';

const folder = await mkdtemp(join(tmpdir(), 'bench-deploy-'));
const charts = join(folder, 'charts');
const cluster = connectCluster({ file: kubeconfig });
let ownProgram = '';
try {
  await writeCharts(charts);
  ownProgram = flags.agent ?? (await buildBundle(folder));
  console.error('building with Go: a minute or two the first time');
  const programs = { helm: await buildHelm(folder), sdk: await buildSdkAgent(folder) };
  for (const name of ['own', 'sdk', 'helm'] as const) await createNamespace(name);
  const agents = {
    own: await startOwn(kubeconfig),
    sdk: await startSdk(programs.sdk, kubeconfig),
  };
  await measure(agents, programs.helm);
  for (const agent of Object.values(agents)) await agent.close();
  await countRequests(programs.sdk);
} finally {
  for (const name of ['own', 'sdk', 'helm'] as const) await cluster.delete(namespaceRef(name));
  await cluster.close();
  await rm(folder, { recursive: true });
}

async function measure(agents: Record<'own' | 'sdk', AgentProcess>, helm: string): Promise<void> {
  for (const name of ['own', 'sdk'] as const) await installAndRemove(agents[name], name, 'small', 'warm');
  const times: Record<ChartName, Record<Contender, number[]>> = {
    small: { own: [], sdk: [], helm: [] },
    large: { own: [], sdk: [], helm: [] },
  };
  const cpu: Record<ChartName, Record<'own' | 'sdk', number[]>> = {
    small: { own: [], sdk: [] },
    large: { own: [], sdk: [] },
  };
  for (const chart of ['small', 'large'] as const) {
    for (let round = 0; round < rounds; round++) {
      for (const name of ['own', 'sdk'] as const) {
        const before = await agents[name].cpuMs();
        times[chart][name].push(await installAndRemove(agents[name], name, chart, `one-${round}`));
        cpu[chart][name].push((await agents[name].cpuMs()) - before);
      }
      if (round < helmRounds) times[chart].helm.push(await helmInstall(helm, chart, `one-${round}`));
      console.error(`${chart}: round ${round + 1} of ${rounds}`);
    }
    report(`install of ${chartSizes[chart]} objects, median in ms`, {
      own: median(times[chart].own),
      sdk: median(times[chart].sdk),
      helm: median(times[chart].helm),
    });
    report('  processor time of the agent with its uninstallation, mean in ms', {
      own: mean(cpu[chart].own),
      sdk: mean(cpu[chart].sdk),
    });
  }
  const bursts: Record<'own' | 'sdk', number[]> = { own: [], sdk: [] };
  for (let round = 0; round < 3; round++) {
    for (const name of ['own', 'sdk'] as const) bursts[name].push(await installTogether(agents[name], name));
  }
  report(`${together} installs of 4 objects at once, median in ms`, {
    own: median(bursts.own),
    sdk: median(bursts.sdk),
  });
  await sleep(15_000);
  const [own, sdk] = [await agents.own.memory(), await agents.sdk.memory()];
  report('memory 15 s later, in MiB', { own: own.now, sdk: sdk.now });
  report('peak memory, in MiB', { own: own.peak, sdk: sdk.peak });
}

function startOwn(config: string): Promise<AgentProcess> {
  return startImageAgent(ownProgram, config, charts, ['--journal', flags.journal]);
}

function startSdk(program: string, config: string): Promise<AgentProcess> {
  return startAgentProcess(program, (url) => [url, charts], { KUBECONFIG: config, HOME: folder });
}

/** Returns the time of the installation, in milliseconds. */
async function installAndRemove(
  agent: AgentProcess,
  name: Contender,
  chart: ChartName,
  release: string,
): Promise<number> {
  const identity = { releaseName: release, namespace: namespaceOf(name) };
  const started = performance.now();
  await agent.perform('install_release', { ...identity, chartName: chart, createNamespace: false });
  const time = performance.now() - started;
  await agent.perform('uninstall_release', identity);
  return time;
}

/** Returns the time until the last of the installations has ended, in milliseconds. */
async function installTogether(agent: AgentProcess, name: Contender): Promise<number> {
  const releases = Array.from({ length: together }, (_, index) => ({
    releaseName: `many-${index}`,
    namespace: namespaceOf(name),
  }));
  const started = performance.now();
  await Promise.all(
    releases.map((one) => agent.perform('install_release', { ...one, chartName: 'small', createNamespace: false })),
  );
  const time = performance.now() - started;
  await Promise.all(releases.map((one) => agent.perform('uninstall_release', one)));
  return time;
}

async function helmInstall(helm: string, chart: ChartName, release: string): Promise<number> {
  const run = promisify(execFile);
  const options = { env: { KUBECONFIG: kubeconfig, HOME: folder } };
  const namespace = ['--namespace', namespaceOf('helm')];
  const started = performance.now();
  await run(helm, ['install', release, join(charts, chart), '--wait', '--wait-for-jobs', ...namespace], options);
  const time = performance.now() - started;
  await run(helm, ['uninstall', release, ...namespace], options);
  return time;
}

/** Counts the requests of an installation and its removal, by agents that have made one before. */
async function countRequests(sdk: string): Promise<void> {
  const proxy = await startCountingProxy(kubeconfig, folder);
  const agents = { own: await startOwn(proxy.kubeconfig), sdk: await startSdk(sdk, proxy.kubeconfig) };
  for (const chart of ['small', 'large'] as const) {
    const counts: Record<'own' | 'sdk', number> = { own: 0, sdk: 0 };
    const removals: Record<'own' | 'sdk', number> = { own: 0, sdk: 0 };
    for (const name of ['own', 'sdk'] as const) {
      await installAndRemove(agents[name], name, chart, 'warm');
      await sleep(1000);
      const identity = { releaseName: 'counted', namespace: namespaceOf(name) };
      proxy.reset();
      await agents[name].perform('install_release', { ...identity, chartName: chart, createNamespace: false });
      counts[name] = proxy.requests().length;
      for (const request of proxy.requests()) console.error(`${name} ${chart}: ${request}`);
      proxy.reset();
      await agents[name].perform('uninstall_release', identity);
      removals[name] = proxy.requests().length;
      for (const request of proxy.requests()) console.error(`${name} ${chart}, uninstallation: ${request}`);
    }
    report(`requests of an install of ${chartSizes[chart]} objects`, counts);
    report('  requests of its uninstallation', removals);
  }
  for (const agent of Object.values(agents)) await agent.close();
  await proxy.close();
}

async function createNamespace(name: Contender): Promise<void> {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespaceOf(name) } };
  if ((await cluster.get({ ...object, name: namespaceOf(name) })) === undefined) await cluster.create(object);
}

function namespaceRef(name: Contender): ObjectRef {
  return { apiVersion: 'v1', kind: 'Namespace', name: namespaceOf(name) };
}

function namespaceOf(name: Contender): string {
  return `bench-${name}`;
}

/** Prints figures, and the ratios to the agent on Helm's SDK. */
function report(what: string, figures: { own: number; sdk: number; helm?: number }): void {
  const { own, sdk, helm } = figures;
  const columns = [
    `own ${own.toFixed(1)}`,
    `SDK ${sdk.toFixed(1)}`,
    ...(helm === undefined ? [] : [`helm ${helm.toFixed(1)}`]),
  ];
  console.log(`${what}: ${columns.join(', ')}; own / SDK ${(own / sdk).toFixed(2)}`);
}
