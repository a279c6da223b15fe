import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentOf } from '../../compose/agent-of.ts';
import { dashboardFolder } from '../../compose/dashboard-folder.ts';
import { processLogger } from '../../compose/logger.ts';
import { version } from '../../compose/version.ts';
import { ControlPlane } from '../../control-plane/index.ts';
import { processHost } from '../../render/process-host.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { serveChart } from './chart-repository.ts';

/** The control plane that the demo has started, and addresses. */
export interface Started {
  plane: ControlPlane;
  kubeconfig: string;
  /** URL of the control plane. */
  server: string;
  /** URL of the chart repository. */
  repository: string;
}

export interface StartOptions {
  /** Folder of charts. */
  charts: string;
  /** Name of the chart that the repository offers. */
  chart: string;
  /** Kubeconfig of a real cluster. Default: the sandbox. */
  kubeconfig: string | undefined;
}

/**
 * Starts a cluster, a control plane, an agent `demo` and a chart repository. `cleanup` stops them
 * in reverse order. Rejects with the reason of the signal.
 */
export async function startAll(
  options: StartOptions,
  cleanup: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<Started> {
  const { charts, chart, kubeconfig = await sandboxKubeconfig(cleanup) } = options;
  signal.throwIfAborted();
  const log = processLogger('error');
  const plane = new ControlPlane({ version, log, dashboard: dashboardFolder });
  const port = await plane.listen(0);
  cleanup.defer(() => plane.close());
  const agent = await agentOf({
    agentId: 'demo',
    cluster: { file: kubeconfig },
    controlPlaneUrl: `ws://127.0.0.1:${port}`,
    localCharts: charts,
    // for the chart nunjucks-web
    allowNunjucks: true,
    log,
  });
  cleanup.defer(() => agent.stop());
  await plane.waitForAgent('demo', AbortSignal.any([signal, AbortSignal.timeout(10_000)]));
  const repository = await serveChart(join(charts, chart));
  cleanup.defer(() => repository.close());
  signal.throwIfAborted();
  return { plane, kubeconfig, server: `http://127.0.0.1:${port}`, repository: repository.url };
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
