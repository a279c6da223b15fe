import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Terminal } from '../../cli/dependencies.ts';
import { createProgram } from '../../cli/program.ts';
import { ControlPlane } from '../../control-plane/index.ts';
import { connectCluster } from '../../kube/cluster.ts';
import { secretStorage } from '../../release/storage/secret.ts';
import { processHost } from '../../render/process-host.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { agentOf } from '../agent-of.ts';
import { localRenderer } from '../local-renderer.ts';
import { processLogger } from '../logger.ts';
import { stopSignal } from '../stop-signal.ts';
import { terminalOf } from '../terminal.ts';
import { version } from '../version.ts';
import { serveChart } from './chart-repository.ts';

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
export async function runDemo({ chart: name = 'web', kubeconfig, image, keep = false }: DemoOptions): Promise<number> {
  const folders = await readdir(charts);
  if (!folders.includes(name)) throw new Error(`unknown chart ${name}; the charts are ${folders.join(' and ')}`);
  await using cleanup = new AsyncDisposableStack();
  const terminal = terminalOf(process.stdout);
  const print = (text: string) => terminal.write(`\n${text}\n`);
  const log = processLogger('error');

  print('Starting a cluster, a control plane and an agent …');
  const file = kubeconfig ?? (await sandboxKubeconfig(cleanup));
  const plane = new ControlPlane({ version, log });
  const port = await plane.listen(0);
  cleanup.defer(() => plane.close());
  const agent = await agentOf({
    agentId: 'demo',
    cluster: { file },
    controlPlaneUrl: `ws://127.0.0.1:${port}`,
    localCharts: charts,
    // for the chart nunjucks-web
    allowNunjucks: true,
    log,
  });
  cleanup.defer(() => agent.stop());
  await plane.waitForAgent('demo', AbortSignal.timeout(10_000));
  const repository = await serveChart(join(charts, name));
  cleanup.defer(() => repository.close());

  const interrupted = new AbortController();
  const ctl = ctlOf(terminal, `http://127.0.0.1:${port}`, () => interrupted.abort());
  const chart = [name, '--repo', repository.url, '--namespace', namespace];
  const images = image === undefined ? [] : ['--set', `image=${image},migration.enabled=false`];
  const timeout = ['--timeout', kubeconfig === undefined ? '8s' : '20s'];

  print(
    '1. Install a chart from an HTTP repository. It is ready when its Deployment is available and its Job has completed.',
  );
  if ((await ctl(['install', release, ...chart, ...images])) !== 0)
    return interrupted.signal.aborted ? interruptedCode : 1;

  print('2. Upgrade it to an image that cannot be pulled. The upgrade fails, reports the reason, and is rolled back.');
  const upgraded = await ctl(['upgrade', release, ...chart, ...images, '--set', `image=${missingImage}`, ...timeout]);
  if (interrupted.signal.aborted) return interruptedCode;
  if (upgraded === 0) {
    print('The upgrade should have failed, but it succeeded.');
    return 1;
  }

  print('3. The history of the release, as `helm history` shows it:');
  await showHistory(file, terminal);

  if (keep) {
    print(hints(port, file));
    await stopSignal();
    return 0;
  }

  print('4. Uninstall it.');
  const ended = await ctl(['uninstall', release, '--namespace', namespace]);
  if (name === 'web') print('To see the same with a chart written for Nunjucks: npm run demo -- --chart nunjucks-web');
  return ended;
}

async function sandboxKubeconfig(cleanup: AsyncDisposableStack): Promise<string> {
  const sandbox = await startSandbox({ host: processHost() });
  cleanup.defer(() => sandbox.close());
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-demo-'));
  cleanup.defer(() => rm(folder, { recursive: true }));
  const file = join(folder, 'kubeconfig');
  await writeFile(file, sandbox.kubeconfig, { mode: 0o600 });
  return file;
}

/** Returns commands to try while everything keeps running. */
function hints(port: number, kubeconfig: string): string {
  const ctl = 'npm run -s helm-agent -- ctl';
  const flags = `--agent demo --server http://127.0.0.1:${port}`;
  return `Everything keeps running until Ctrl-C. Try in another terminal:
  ${ctl} list ${flags}
  ${ctl} install second web ${flags} --set replicas=2
  kubectl --kubeconfig ${kubeconfig} --namespace ${namespace} get all
  helm --kubeconfig ${kubeconfig} --namespace ${namespace} history ${release}`;
}

/** Returns a function that runs `helm-agent ctl` in this process. */
function ctlOf(terminal: Terminal, server: string, interrupted: () => void): (args: string[]) => Promise<number> {
  const refuse = () => Promise.reject(new Error('the demo runs only ctl'));
  const program = createProgram({
    version,
    programName: 'npm run -s helm-agent --',
    env: {},
    hostName: 'demo',
    stdout: terminal,
    stderr: terminal,
    host: processHost(),
    readFile,
    isFolder: refuse,
    createRenderer: localRenderer,
    fetch,
    onInterrupt(listener) {
      const onSignal = () => {
        interrupted();
        listener();
      };
      process.on('SIGINT', onSignal);
      return () => process.off('SIGINT', onSignal);
    },
    runAgent: refuse,
    runControlPlane: refuse,
    runSandbox: refuse,
  });
  return (args) => {
    terminal.write(`$ helm-agent ctl ${args.join(' ')} --agent demo\n`);
    return program(['ctl', ...args, '--agent', 'demo', '--server', server]);
  };
}

async function showHistory(kubeconfig: string, terminal: Terminal): Promise<void> {
  const cluster = connectCluster({ file: kubeconfig });
  try {
    const storage = secretStorage({
      cluster,
      host: processHost(),
      onUnreadable: (error) => terminal.write(`${error.message}\n`),
    });
    const revisions = await storage.query({ namespace, name: release });
    for (const { release: revision } of revisions.sort((a, b) => a.release.version - b.release.version)) {
      const [description = ''] = (revision.info.description ?? '').split('\n');
      terminal.write(`${String(revision.version).padEnd(4)}${revision.info.status.padEnd(12)}${description}\n`);
    }
  } finally {
    await cluster.close();
  }
}
