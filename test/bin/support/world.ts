import { agentOf, type AgentSetup } from '../../../src/bin/agent-of.ts';
import type { Agent } from '../../../src/agent/agent.ts';
import { ControlPlane, type Answer, type Failure, type SentCommand } from '../../../src/control-plane/index.ts';
import { connectCluster, type KubeCluster } from '../../../src/kube/cluster.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { recordingLog } from '../../agent/support/log.ts';
import { realHost } from '../../support/host.ts';

export const agentId = 'edge-1';

/** The folder of charts that the agent of a world allows to name by path. */
export const exampleCharts = new URL('../../../examples/charts/', import.meta.url).pathname;

/**
 * The whole program in one process: a control plane, an agent that is connected to it, and the
 * sandbox as its cluster.
 */
export interface World {
  plane: ControlPlane;
  agent: Agent;
  /** What a kubectl user sees of the cluster. */
  cluster: KubeCluster;
  kubeconfig: string;
  /** What the agent logged, from level `trace` on. */
  lines: string[];
  close(): Promise<void>;
}

export interface WorldOptions extends Partial<AgentSetup> {
  /** How fast simulated time passes. Default 20. */
  speed?: number;
  /** Leads to the control plane's port in place of it. */
  proxy?: (port: number) => Promise<number>;
}

/** Everything reconnects fast and gives up soon. */
const shortTimes = {
  backoff: { baseMs: 20, capMs: 100, stableMs: 60_000 },
  graceMs: 5000,
  deliveryMs: 1000,
};

export async function startWorld({ speed = 20, proxy, ...setup }: WorldOptions = {}): Promise<World> {
  const sandbox = await startSandbox({ host: realHost, speed });
  const cluster = connectCluster({ text: sandbox.kubeconfig });
  const plane = new ControlPlane();
  const port = await plane.listen(0);
  const { log, lines } = recordingLog();
  const agent = await agentOf({
    agentId,
    cluster: { text: sandbox.kubeconfig },
    controlPlaneUrl: `ws://127.0.0.1:${(await proxy?.(port)) ?? port}`,
    localCharts: exampleCharts,
    log,
    times: shortTimes,
    ...setup,
  });
  if (setup.controlPlaneUrl === undefined) await plane.waitForAgent(agentId, AbortSignal.timeout(10_000));
  return {
    plane,
    agent,
    cluster,
    kubeconfig: sandbox.kubeconfig,
    lines,
    async close() {
      await agent.stop();
      await plane.close();
      await cluster.close();
      await sandbox.close();
    },
  };
}

/** What the command answers. Throws where it fails. */
export async function answerOf(command: SentCommand): Promise<Answer> {
  const result = await command.result;
  if (!result.ok) throw new Error(`${command.type}: ${result.error.code}: ${result.error.message}`);
  return result;
}

/** Why the command fails. Throws where it does not. */
export async function failureOf(command: SentCommand): Promise<Failure> {
  const result = await command.result;
  if (result.ok) throw new Error(`${command.type} did not fail`);
  return result.error;
}

/** Resolves once the command has begun a step. */
export async function underWay(command: SentCommand | undefined, step: string): Promise<void> {
  for await (const event of command ?? []) {
    if (event.type === 'status' && event.payload.step === step) return;
  }
  throw new Error(`the command never came to ${step}`);
}

/** Resolves once the command waits for its resources. */
export async function waiting(command: SentCommand): Promise<void> {
  for await (const event of command) {
    if (event.type === 'status' && event.payload.step === 'wait' && event.payload.resources) return;
  }
  throw new Error('the command never waited');
}

const namespacedKinds = [
  { apiVersion: 'v1', kind: 'Secret' },
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'batch/v1', kind: 'Job' },
];

/** What is in a namespace besides what every namespace has, as `Kind/name`. */
export async function contentsOf(cluster: KubeCluster, namespace: string): Promise<string[]> {
  const lists = await Promise.all(namespacedKinds.map((kind) => cluster.list({ ...kind, namespace })));
  return lists
    .flatMap((objects, index) =>
      objects.map(({ metadata }) => `${namespacedKinds[index]?.kind ?? ''}/${metadata.name}`),
    )
    .filter((name) => !['ConfigMap/kube-root-ca.crt', 'Service/kubernetes'].includes(name))
    .sort();
}
