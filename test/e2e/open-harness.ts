import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlPlane } from '../../src/control-plane/index.ts';
import { connectCluster, type KubeCluster } from '../../src/kube/cluster.ts';
import { uniqueName } from '../api/environment.ts';
import { startAgentProcess } from './agent-process.ts';

/** A control plane in this process, and an agent for one cluster in a process of its own. */
export interface Harness {
  plane: ControlPlane;
  /** URL of the control plane's REST API. */
  url: string;
  agentId: string;
  /** Id of the agent's process. */
  agentPid: number;
  cluster: KubeCluster;
  /** Stops both. Fails if the agent exits with a code other than 0 or has logged an error. */
  close(): Promise<void>;
}

export interface HarnessOptions {
  /** Text of the cluster's kubeconfig. */
  kubeconfig: string;
  /** Folder of the charts that commands may name by path. */
  localCharts: string;
  /** Further arguments of the agent. Default: none. */
  arguments?: readonly string[];
}

/** Starts both and waits until the agent is connected. */
export async function openHarness({ kubeconfig, localCharts, arguments: more = [] }: HarnessOptions): Promise<Harness> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-e2e-'));
  const kubeconfigFile = join(folder, 'kubeconfig');
  await writeFile(kubeconfigFile, kubeconfig, { mode: 0o600 });
  const plane = new ControlPlane();
  const port = await plane.listen(0);
  const url = `http://127.0.0.1:${port}`;
  const agentId = uniqueName('e2e');
  const cluster = connectCluster({ file: kubeconfigFile });
  const agent = startAgentProcess([
    ...['--control-plane', `ws://127.0.0.1:${port}`, '--agent-id', agentId],
    ...['--kubeconfig', kubeconfigFile, '--local-charts', localCharts],
    ...more,
  ]);
  const stopping = new AbortController();
  const watching = agent.exited.then(async (code) => {
    if (stopping.signal.aborted) return;
    console.error(`the agent exited with ${code}, and its commands have no end:\n${agent.output()}`);
    await plane.close();
  });
  const close = async () => {
    stopping.abort();
    const exitCode = await agent.stop();
    await Promise.all([watching, plane.close(), cluster.close()]);
    await rm(folder, { recursive: true });
    const errors = agent
      .output()
      .split('\n')
      .filter((line) => line.includes('"level":"error"'));
    if (exitCode !== 0 || errors.length > 0) throw new Error(`the agent exited with ${exitCode}\n${errors.join('\n')}`);
  };
  try {
    await plane.waitForAgent(agentId, AbortSignal.timeout(120_000));
  } catch (error) {
    await close().catch(() => undefined);
    throw new Error(`the agent did not connect:\n${agent.output()}`, { cause: error });
  }
  return { plane, url, agentId, agentPid: agent.pid, cluster, close };
}
