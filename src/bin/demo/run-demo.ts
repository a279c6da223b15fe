import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { stopSignal } from '../stop-signal.ts';
import { terminalOf } from '../terminal.ts';
import { createCtl } from './ctl.ts';
import { showHistory } from './show-history.ts';
import { startAll } from './start.ts';

export interface DemoOptions {
  /** Folder of a chart in examples/charts. Default: `web`. */
  chart?: string | undefined;
  /** Kubeconfig of a real cluster. Default: the sandbox. */
  kubeconfig?: string | undefined;
  /** Image of a web server that the nodes of the cluster can run. */
  image?: string | undefined;
  /** Whether to keep everything running until the process gets a stop signal. Default: false. */
  keep?: boolean;
}

const charts = fileURLToPath(new URL('../../../examples/charts', import.meta.url));
const namespace = 'helm-agent-demo';
const release = 'hello';
/** An image that no cluster can pull: the top-level domain `.invalid` does not exist. */
const missingImage = 'registry.invalid/web:2';

/** Exit code of a process that Ctrl-C ended, as in shells. */
const interruptedCode = 130;

/** Runs the demo. Returns the exit code. */
export async function runDemo({ chart = 'web', kubeconfig, image, keep = false }: DemoOptions): Promise<number> {
  const folders = await readdir(charts);
  if (!folders.includes(chart)) throw new Error(`unknown chart ${chart}; the charts are ${folders.join(' and ')}`);
  await using cleanup = new AsyncDisposableStack();
  const terminal = terminalOf(process.stdout);
  const print = (text: string) => terminal.write(`\n${text}\n`);

  print('Starting a cluster, a control plane and an agent …');
  const started = await startAll({ charts, chart, kubeconfig }, cleanup);
  const interrupted = new AbortController();
  const ctl = createCtl(terminal, started.server, () => interrupted.abort());
  const chartFlags = [chart, '--repo', started.repository, '--namespace', namespace];
  const imageFlags = image === undefined ? [] : ['--set', `image=${image},migration.enabled=false`];
  const timeout = kubeconfig === undefined ? '8s' : '20s';

  print('1. Install a chart from an HTTP repository. It waits for the Deployment and for a Job.');
  const installed = await ctl(['install', release, ...chartFlags, ...imageFlags]);
  if (installed !== 0) return interrupted.signal.aborted ? interruptedCode : 1;

  print('2. Upgrade it to an image that cannot be pulled. The upgrade fails, reports the reason, and is rolled back.');
  const failing = [...chartFlags, ...imageFlags, '--set', `image=${missingImage}`, '--timeout', timeout];
  const upgraded = await ctl(['upgrade', release, ...failing]);
  if (interrupted.signal.aborted) return interruptedCode;
  if (upgraded === 0) {
    print('The upgrade should have failed, but it succeeded.');
    return 1;
  }

  print('3. The history of the release, as `helm history` shows it:');
  await showHistory({ namespace, release }, started.kubeconfig, terminal);

  if (keep) {
    print(hints(started.server, started.kubeconfig));
    await stopSignal();
    return 0;
  }

  print('4. Uninstall it.');
  const uninstalled = await ctl(['uninstall', release, '--namespace', namespace]);
  if (chart === 'web') print('To see the same with a chart written for Nunjucks: npm run demo -- --chart nunjucks-web');
  return uninstalled;
}

/** Returns commands to try while everything keeps running. */
function hints(server: string, kubeconfig: string): string {
  const ctl = 'npm run -s helm-agent -- ctl';
  const flags = `--agent demo --server ${server}`;
  return `Everything keeps running until Ctrl-C. Try in another terminal:
  ${ctl} list ${flags}
  ${ctl} install second web ${flags} --set replicas=2
  kubectl --kubeconfig ${kubeconfig} --namespace ${namespace} get all
  helm --kubeconfig ${kubeconfig} --namespace ${namespace} history ${release}`;
}
