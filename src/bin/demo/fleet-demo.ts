import { whenAborted } from '../../async/index.ts';
import { rolloutLines } from '../../cli/ctl/rollout/rollout-lines.ts';
import type { Terminal } from '../../cli/dependencies.ts';
import { table } from '../../cli/table.ts';
import { processLogger } from '../../compose/logger.ts';
import { version } from '../../compose/version.ts';
import type { ControlPlane, RolloutOptions, RolloutView } from '../../control-plane/index.ts';
import { openBrowser } from './open-browser.ts';
import { startSimulatedAgent } from './simulated-agent.ts';
import { startAll, type Started } from './start.ts';
import { createStory, type Story } from './story.ts';

export interface FleetDemoOptions {
  /** Folder of charts. */
  charts: string;
  /** Name of the chart. */
  chart: string;
  /** Number of agents without a cluster. */
  fleetSize: number;
  /** Whether to keep everything running until the signal aborts. */
  keep: boolean;
  terminal: Terminal;
  /** Gets what stops everything, in reverse order. */
  cleanup: AsyncDisposableStack;
  signal: AbortSignal;
}

/** The agent of the sandbox, which is the first cluster of each rollout. */
const canary = 'demo';

const release = { releaseName: 'hello', namespace: 'helm-agent-demo' };

/**
 * Tells how rollouts over a fleet go: one reaches all clusters, and one fails at the canary and is
 * undone. Returns the exit code. Rejects with the signal's reason.
 */
export async function tellFleet(options: FleetDemoOptions): Promise<number> {
  const { charts, chart, fleetSize, keep, terminal, cleanup, signal } = options;
  const story = createStory(terminal);
  story.begin(`A control plane, an agent for a simulated cluster and ${fleetSize} simulated agents start.`);
  const started = await startAll({ charts, chart, kubeconfig: undefined }, cleanup, signal);
  const { plane, repository: repoUrl, server } = started;
  await startFleet(started, fleetSize, cleanup, signal);
  const base = {
    agents: [canary, 'edge-*'],
    waves: [{ agents: [canary] }, { size: '10%' }, {}],
    ...{ concurrency: 50, soak: '250ms' },
  } satisfies Partial<RolloutOptions>;
  const values = { migration: { enabled: false } };
  const payload = { ...release, chartName: chart, repoUrl, values };

  story.begin('A rollout installs a chart on one cluster, then on a tenth of them, then on the rest.');
  story.tell(`$ helm-agent ctl rollout start hello ${chart} --waves 1,10%,rest`);
  const first = await followed(plane, { ...base, id: 'hello-1', payload }, story, terminal, signal);
  if (first.phase !== 'succeeded') return failed(story, first);
  story.tell(`${first.clusters.updated ?? 0} clusters have it after ${secondsOf(first)}.`);

  story.begin('The next version has an image that does not exist, so its rollout stops at the first cluster.');
  const missing = { ...payload, values: { ...values, image: 'localhost/app:missing' } };
  story.tell('$ helm-agent ctl rollout start hello … --set image=localhost/app:missing');
  const second = await followed(plane, { ...base, id: 'hello-2', payload: missing }, story, terminal, signal);
  if (second.phase !== 'failed') {
    story.tell('The rollout should have failed, but it has not.');
    return 1;
  }
  const [problem] = second.problems;
  story.tell(`It ended after ${secondsOf(second)}: ${problem?.failure?.message ?? second.reason ?? ''}`);

  story.begin('That cluster has its last good revision again, and no other one was touched.');
  const result = await plane.history(canary, release, { signal }).result;
  signal.throwIfAborted();
  if (result.ok) {
    const rows = result.releases.map(({ version: revision, info: { status, description = '' } }) => [
      ...[`${canary}: revision ${revision}`, status],
      description.split(': ').at(0) ?? '',
    ]);
    story.tell(...table(rows));
  }
  story.tell(...rolloutLines(second, Date.now(), terminal.columns).slice(1, 4));
  story.end();
  if (!keep) {
    terminal.write('\nTo start rollouts of your own on a fleet that keeps running: npm run demo -- --fleet --keep\n');
    return 0;
  }
  terminal.write(`\n${hints(server, repoUrl, chart)}\n`);
  if (terminal.isTerminal) openBrowser(server, process.env, process.platform);
  await whenAborted(signal);
  return 0;
}

async function startFleet(
  { plane, server }: Started,
  size: number,
  cleanup: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<void> {
  const log = processLogger('error');
  const controlPlaneUrl = server.replace(/^http/, 'ws');
  const ids = Array.from({ length: size }, (_, index) => `edge-${String(index + 1).padStart(3, '0')}`);
  await Promise.all(
    ids.map(async (agentId) => {
      const agent = await startSimulatedAgent({
        ...{ agentId, version, log, controlPlaneUrl },
        ...{ random: Math.random, now: () => new Date() },
      });
      cleanup.defer(() => agent.stop());
      await plane.waitForAgent(agentId, signal);
    }),
  );
}

/** Starts a rollout, and shows it in the story until it ends. */
async function followed(
  plane: ControlPlane,
  options: RolloutOptions,
  story: Story,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<RolloutView> {
  const { id } = await plane.rollouts.start(options);
  const ended = new AbortController();
  const follow = async () => {
    for await (const { type, payload } of plane.rollouts.events(
      id,
      undefined,
      AbortSignal.any([signal, ended.signal]),
    )) {
      if (type !== 'rollout') continue;
      story.showNow(rolloutLines(payload, Date.now(), terminal.columns - 4));
      if (payload.phase !== 'running' && payload.phase !== 'reverting') return;
    }
  };
  await Promise.race([follow(), whenAborted(signal)]).finally(() => ended.abort());
  signal.throwIfAborted();
  return plane.rollouts.get(id);
}

function failed(story: Story, { reason = 'unknown reason', problems }: RolloutView): number {
  story.tell(`It failed: ${problems[0]?.failure?.message ?? reason}`);
  return 1;
}

/** Returns how long a rollout has taken: `4.2s`. */
function secondsOf({ createdAt, since }: RolloutView): string {
  return `${((Date.parse(since) - Date.parse(createdAt)) / 1000).toFixed(1)}s`;
}

/** Returns commands to try while everything keeps running. */
function hints(server: string, repoUrl: string, chart: string): string {
  const ctl = 'npm run -s helm-agent -- ctl rollout';
  return `Everything keeps running until Ctrl-C. See it in a browser: ${server}

Or try in another terminal:
  ${ctl} list --server ${server}
  ${ctl} start hello ${chart} --repo ${repoUrl} -n ${release.namespace} --agent "*" --set replicas=2 --soak 5s --server ${server}`;
}
