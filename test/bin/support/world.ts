import type { Agent } from '../../../src/agent/agent.ts';
import { agentOf, type AgentSetup } from '../../../src/compose/agent-of.ts';
import {
  type CommandAnswers,
  type CommandType,
  ControlPlane,
  type Failure,
  type SentCommand,
} from '../../../src/control-plane/index.ts';
import { connectCluster, type KubeCluster } from '../../../src/kube/cluster.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { recordingLog } from '../../agent/support/log.ts';
import { realHost } from '../../support/host.ts';

export const agentId = 'edge-1';

/** The folder of local charts of the agent in a world. */
export const exampleCharts = new URL('../../../examples/charts/', import.meta.url).pathname;

/**
 * The whole program in one process: a control plane, an agent that is connected to it, and the
 * sandbox as its cluster.
 */
export interface World {
  plane: ControlPlane;
  agent: Agent;
  /** The cluster, for assertions. */
  cluster: KubeCluster;
  kubeconfig: string;
  /** The port of the control plane. */
  port: number;
  /** Log lines of the agent, from level `trace` up. */
  lines: string[];
  close(): Promise<void>;
}

export interface WorldOptions extends Partial<AgentSetup> {
  /** Factor by which simulated time is faster than real time. Default: 20. */
  speed?: number;
  /** Starts a proxy for the control plane's port. Returns the port of the proxy. */
  proxy?: (port: number) => Promise<number>;
}

/** Short times for reconnecting. The limits for stopping are long enough for a busy machine. */
const shortTimes = {
  backoff: { baseMs: 20, capMs: 100, stableMs: 60_000 },
  graceMs: 50_000,
  deliveryMs: 10_000,
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
  if (setup.controlPlaneUrl === undefined) await plane.waitForAgent(agentId, AbortSignal.timeout(55_000));
  return {
    plane,
    agent,
    cluster,
    kubeconfig: sandbox.kubeconfig,
    port,
    lines,
    async close() {
      await agent.stop();
      await plane.close();
      await cluster.close();
      await sandbox.close();
    },
  };
}

/** Returns the command's answer. Throws if it fails. */
export async function answerOf<Type extends CommandType>(command: SentCommand<Type>): Promise<CommandAnswers[Type]> {
  const result = await command.result;
  if (!result.ok) throw new Error(`${command.type}: ${result.error.code}: ${result.error.message}`);
  return result;
}

/** Returns the error of a command. Throws an error if the command succeeds. */
export async function failureOf(command: SentCommand): Promise<Failure> {
  const result = await command.result;
  if (result.ok) throw new Error(`${command.type} did not fail`);
  return result.error;
}

/** Resolves when the command has started a step. */
export async function underWay(command: SentCommand | undefined, step: string): Promise<void> {
  for await (const event of command ?? []) {
    if (event.type === 'status' && event.payload.step === step) return;
  }
  throw new Error(`the command never reached ${step}`);
}

/** Resolves when the command waits for its resources. */
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

/** Returns the objects in a namespace, as `Kind/name`, without those that every namespace has. */
export async function contentsOf(cluster: KubeCluster, namespace: string): Promise<string[]> {
  const lists = await Promise.all(namespacedKinds.map((kind) => cluster.list({ ...kind, namespace })));
  return lists
    .flatMap((objects, index) =>
      objects.map(({ metadata }) => `${namespacedKinds[index]?.kind ?? ''}/${metadata.name}`),
    )
    .filter((name) => !['ConfigMap/kube-root-ca.crt', 'Service/kubernetes'].includes(name))
    .sort();
}
