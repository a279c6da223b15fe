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
  /** The folder of a chart in examples/charts. Default `web`. */
  chart?: string | undefined;
  /** A real cluster. Default: the sandbox. */
  kubeconfig?: string | undefined;
  /** An image of a web server that the cluster's nodes can run. */
  image?: string | undefined;
  /** Leave everything running until the process is told to stop. */
  keep?: boolean;
}

const charts = fileURLToPath(new URL('../../../examples/charts', import.meta.url));
const namespace = 'helm-agent-demo';
const release = 'hello';
/** Nobody can pull it, from whatever cluster: the domain `.invalid` does not exist. */
const missingImage = 'registry.invalid/web:2';

/** As shells count a process that Ctrl-C ended. */
const interruptedCode = 130;

/** Runs the demo; yields the exit code. */
export async function runDemo({ chart: name = 'web', kubeconfig, image, keep = false }: DemoOptions): Promise<number> {
  const folders = await readdir(charts);
  if (!folders.includes(name)) throw new Error(`there is no chart ${name}; there are ${folders.join(' and ')}`);
  await using cleanup = new AsyncDisposableStack();
  const terminal = terminalOf(process.stdout);
  const say = (text: string) => terminal.write(`\n${text}\n`);
  const log = processLogger('error');

  say('Starting a cluster, a control plane and an agent …');
  const file = kubeconfig ?? (await sandboxKubeconfig(cleanup));
  const plane = new ControlPlane({ version, log });
  const port = await plane.listen(0);
  cleanup.defer(() => plane.close());
  const agent = await agentOf({
    agentId: 'demo',
    cluster: { file },
    controlPlaneUrl: `ws://127.0.0.1:${port}`,
    localCharts: charts,
    // of the charts here one is written for it
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

  say('1. Install a chart from an HTTP repository. It is ready when its Deployment is, and its Job has completed.');
  if ((await ctl(['install', release, ...chart, ...images])) !== 0)
    return interrupted.signal.aborted ? interruptedCode : 1;

  say('2. Upgrade it to an image that cannot be pulled. The upgrade fails, says why, and is rolled back.');
  const upgraded = await ctl(['upgrade', release, ...chart, ...images, '--set', `image=${missingImage}`, ...timeout]);
  if (interrupted.signal.aborted) return interruptedCode;
  if (upgraded === 0) {
    say('The upgrade was to fail, but it did not.');
    return 1;
  }

  say('3. What happened to the release, as `helm history` shows it:');
  await showHistory(file, terminal);

  if (keep) {
    say(`Everything is left running; end it with Ctrl-C. Try:
  npm run -s helm-agent -- ctl list --agent demo --server http://127.0.0.1:${port}
  kubectl --kubeconfig ${file} --namespace ${namespace} get all`);
    await stopSignal();
    return 0;
  }

  say('4. Uninstall it.');
  const ended = await ctl(['uninstall', release, '--namespace', namespace]);
  if (name === 'web')
    say('The same with a chart in Nunjucks instead of Go templates: npm run demo -- --chart nunjucks-web');
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

/** `helm-agent ctl` in this process. */
function ctlOf(terminal: Terminal, server: string, interrupted: () => void): (args: string[]) => Promise<number> {
  const refuse = () => Promise.reject(new Error('the demo runs ctl only'));
  const program = createProgram({
    version,
    env: {},
    hostName: 'demo',
    stdout: terminal,
    stderr: terminal,
    host: processHost(),
    readFile,
    createRenderer: localRenderer,
    fetch,
    onInterrupt(listener) {
      const heard = () => {
        interrupted();
        listener();
      };
      process.on('SIGINT', heard);
      return () => process.off('SIGINT', heard);
    },
    runAgent: refuse,
    runControlPlane: refuse,
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
      secrets: cluster,
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
