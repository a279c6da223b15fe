import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { agentOf, type AgentSetup } from '../../../src/compose/agent-of.ts';
import { ControlPlane } from '../../../src/control-plane/index.ts';
import { connectCluster, type KubeCluster } from '../../../src/kube/cluster.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { recordingLog } from '../../agent/support/log.ts';
import { FaultyApi } from '../../support/faulty-api.ts';
import { realHost } from '../../support/host.ts';
import { agentId } from './world.ts';

/** An agent with a journal in the cluster, whose requests go through a proxy that counts them. */
export interface FaultyWorld {
  plane: ControlPlane;
  /** The cluster, for assertions. It is not reached through the proxy. */
  cluster: KubeCluster;
  api: FaultyApi;
  /** Log lines of the agent. */
  lines: string[];
}

export interface FaultyWorldOptions {
  /** Returns numbers from 0 up to 1. */
  random: () => number;
  /** Writes the local charts into a folder. */
  writeCharts: (folder: string) => Promise<void>;
  /** Further settings of the agent. */
  setup?: Partial<AgentSetup>;
}

/** Starts a world that ends with the test. */
export async function faultyWorld(t: ExecutionContext, options: FaultyWorldOptions): Promise<FaultyWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'faulty-world-'));
  const charts = join(folder, 'charts');
  await options.writeCharts(charts);
  const sandbox = await startSandbox({ host: realHost, speed: 100 });
  const cluster = connectCluster({ text: sandbox.kubeconfig });
  const api = await FaultyApi.start(sandbox, { random: options.random, folder });
  const plane = new ControlPlane();
  const { log, lines } = recordingLog();
  const agent = await agentOf({
    ...{ agentId, log, localCharts: charts, journal: 'cluster' },
    cluster: { file: api.kubeconfig },
    ...options.setup,
    controlPlaneUrl: `ws://127.0.0.1:${await plane.listen(0)}`,
  });
  t.teardown(async () => {
    api.rate = 0;
    await agent.stop();
    await plane.close();
    await cluster.close();
    await api.close();
    await sandbox.close();
    await rm(folder, { recursive: true });
  });
  await plane.waitForAgent(agentId, AbortSignal.timeout(55_000));
  return { plane, cluster, api, lines };
}
