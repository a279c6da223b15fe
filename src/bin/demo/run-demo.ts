import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { whenAborted } from '../../async/index.ts';
import { evidenceLines } from '../../cli/ctl/evidence-text.ts';
import { liveLines } from '../../cli/ctl/live-view.ts';
import type { Terminal } from '../../cli/dependencies.ts';
import { table } from '../../cli/table.ts';
import { terminalOf } from '../../compose/terminal.ts';
import type { SentCommand } from '../../control-plane/index.ts';
import type { Evidence } from '../../protocol/evidence.ts';
import type { Failure } from '../../protocol/messages.ts';
import { advance, type CommandProgress, newProgress } from '../../protocol/progress.ts';
import { tellFleet } from './fleet-demo.ts';
import { openBrowser } from './open-browser.ts';
import { startAll, type Started } from './start.ts';
import { createStory, type Story } from './story.ts';

export interface DemoOptions {
  /** Folder of a chart in examples/charts. Default: `web`. */
  chart?: string | undefined;
  /** Kubeconfig of a real cluster. Default: the sandbox. */
  kubeconfig?: string | undefined;
  /** Image of a web server that the nodes of the cluster can run. */
  image?: string | undefined;
  /** Whether to tell about rollouts over a simulated fleet instead. Default: false. */
  fleet?: boolean;
  /** Number of simulated agents of the fleet. Default: 200. */
  agents?: string | undefined;
  /** Whether to keep everything running until the process gets a stop signal. Default: false. */
  keep?: boolean;
}

const charts = fileURLToPath(new URL('../../../examples/charts', import.meta.url));
const agent = 'demo';
const namespace = 'helm-agent-demo';
const releaseName = 'hello';
const defaultImage = 'localhost/app:1';
const defaultFleetSize = 200;
const maxFleetSize = 1000;

/** Exit code of a process that Ctrl-C ended, as in shells. */
const interruptedCode = 130;

/** Runs the demo. Returns the exit code. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const { chart = 'web' } = options;
  const folders = await readdir(charts);
  if (!folders.includes(chart)) throw new Error(`unknown chart ${chart}; the charts are ${folders.join(' and ')}`);
  const { fleet = false, keep = false, kubeconfig } = options;
  if (fleet && kubeconfig !== undefined) throw new Error('--fleet has a simulated cluster; leave --kubeconfig out');
  const fleetSize = fleetSizeOf(options);
  const stopping = new AbortController();
  const onSignal = () => {
    if (stopping.signal.aborted) process.exit(interruptedCode);
    stopping.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, onSignal);
  try {
    await using cleanup = new AsyncDisposableStack();
    const terminal = terminalOf(process.stdout);
    const { signal } = stopping;
    if (fleet) return await tellFleet({ charts, chart, fleetSize, keep, terminal, cleanup, signal });
    return await tellAll({ ...options, chart }, terminal, cleanup, signal);
  } catch (error) {
    if (stopping.signal.aborted) return interruptedCode;
    throw error;
  } finally {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(name, onSignal);
  }
}

/** Returns the number of simulated agents. */
function fleetSizeOf({ fleet = false, agents }: DemoOptions): number {
  if (agents === undefined) return defaultFleetSize;
  if (!fleet) throw new Error('--agents is for a fleet; add --fleet');
  const size = /^\d{1,4}$/.test(agents) ? Number(agents) : 0;
  if (size >= 1 && size <= maxFleetSize) return size;
  throw new Error(`--agents must be a number from 1 to ${maxFleetSize}`);
}

async function tellAll(
  { chart, kubeconfig, image = defaultImage, keep = false }: DemoOptions & { chart: string },
  terminal: Terminal,
  cleanup: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<number> {
  const story = createStory(terminal);
  const cluster = kubeconfig === undefined ? 'a simulated cluster' : `the cluster of ${kubeconfig}`;
  story.begin(`A control plane and an agent for ${cluster} start on this machine.`);
  const started = await startAll({ charts, chart, kubeconfig }, cleanup, signal);
  const { plane, repository: repoUrl } = started;
  const source = { releaseName, namespace, chartName: chart, repoUrl };
  const imageValues = image === defaultImage ? {} : { image, migration: { enabled: false } };

  story.begin('The agent installs a chart, and waits until all of it is ready.');
  story.tell(`$ helm-agent ctl install ${releaseName} ${chart} --repo ${repoUrl}`);
  const installation = plane.install(agent, { ...source, values: imageValues });
  const installed = await followed(installation, story, terminal, signal);
  if (installed.failure) return failed(story, installed.failure);
  story.tell(`${installed.progress.resources.size} resources are ready after ${waitTime(installed.progress)}.`);

  const missing = `${image.replace(/:[^/:]*$/, '')}:missing`;
  story.begin('An upgrade to an image that does not exist fails at once, and says why.');
  story.tell(`$ helm-agent ctl upgrade ${releaseName} … --set image=${missing}`);
  const upgrade = plane.upgrade(agent, { ...source, values: { ...imageValues, image: missing } });
  const upgraded = await followed(upgrade, story, terminal, signal);
  if (upgraded.failure === undefined) {
    story.tell('The upgrade should have failed, but it succeeded.');
    return 1;
  }
  story.tell(`The wait has ended after ${waitTime(upgraded.progress)}, not after its 5 minutes, with the evidence:`);
  story.tell(...upgraded.evidence);

  story.begin('The failed upgrade is rolled back, as the history shows.');
  story.tell(`$ helm-agent ctl history ${releaseName}`);
  story.tell(...(await historyLines(started, signal)));

  if (keep) {
    story.end();
    terminal.write(`\n${hints(started)}\n`);
    if (terminal.isTerminal) openBrowser(started.server, process.env, process.platform);
    await whenAborted(signal);
    return 0;
  }
  story.begin('The agent uninstalls the release, and nothing is left of it.');
  story.tell(`$ helm-agent ctl uninstall ${releaseName}`);
  const uninstalled = await followed(plane.uninstall(agent, { releaseName, namespace }), story, terminal, signal);
  if (uninstalled.failure) return failed(story, uninstalled.failure);
  story.end();
  terminal.write('\nTo try more commands on a cluster that keeps running: npm run demo -- --keep\n');
  return 0;
}

function failed(story: Story, { message }: Failure): number {
  story.tell(`It failed: ${message}`);
  return 1;
}

interface Followed {
  progress: CommandProgress;
  evidence: string[];
  failure: Failure | undefined;
}

/** Shows a command in the story until it ends. Rejects when the signal aborts. */
async function followed(
  command: SentCommand,
  story: Story,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<Followed> {
  const progress = newProgress();
  const evidence: string[] = [];
  const follow = async () => {
    for await (const event of command) {
      if (signal.aborted) return;
      if (event.type === 'result' || event.type === 'signature') continue;
      advance(progress, event);
      if (event.type === 'evidence') evidence.push(...evidenceOf(event.payload));
      story.showNow(liveLines(progress, terminal.columns));
    }
  };
  await Promise.race([follow(), whenAborted(signal)]);
  signal.throwIfAborted();
  const result = await command.result;
  return { progress, evidence, failure: result.ok ? undefined : result.error };
}

/** Returns the reasons, and the states of containers, without events and logs. */
function evidenceOf({ resources, ...rest }: Evidence): string[] {
  return resources.flatMap((resource) =>
    evidenceLines({ ...rest, resources: [{ ...resource, events: [] }] }).slice(0, 2),
  );
}

/** Returns how long the first wait of a command has taken: `0.4s`. */
function waitTime({ steps }: CommandProgress): string {
  const wait = steps.find(({ name }) => name === 'wait');
  const seconds = wait === undefined ? 0 : (Date.parse(wait.changed) - Date.parse(wait.started)) / 1000;
  return `${seconds.toFixed(1)}s`;
}

async function historyLines({ plane }: Started, signal: AbortSignal): Promise<string[]> {
  const result = await plane.history(agent, { releaseName, namespace }, { signal }).result;
  signal.throwIfAborted();
  if (!result.ok) return [result.error.message];
  return table(
    result.releases.map(({ version, info }) => [
      `revision ${version}`,
      info.status,
      // the reason of a failure is shown already
      (info.description ?? '').split(': ').at(0) ?? '',
    ]),
  );
}

/** Returns commands to try while everything keeps running. */
function hints({ server, kubeconfig }: Started): string {
  const ctl = 'npm run -s helm-agent -- ctl';
  const flags = `--agent ${agent} --server ${server}`;
  return `Everything keeps running until Ctrl-C. See it in a browser: ${server}

Or try in another terminal:
  ${ctl} list ${flags}
  ${ctl} install second web ${flags} --set replicas=2
  kubectl --kubeconfig ${kubeconfig} --namespace ${namespace} get all
  helm --kubeconfig ${kubeconfig} --namespace ${namespace} history ${releaseName}`;
}
