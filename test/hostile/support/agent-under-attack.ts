import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { ControlPlane, type SentCommand } from '../../../src/control-plane/index.ts';
import { connectCluster, type KubeCluster } from '../../../src/kube/cluster.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import { realHost } from '../../support/host.ts';
import { type ChildProgram, startProgram } from './child-program.ts';
import { assertHarmless, measure, mostMiB, type Target } from './measure.ts';

export const agentId = 'edge-1';

/** Files of a chart by their paths in it. */
export type ChartFiles = Readonly<Record<string, string | Uint8Array>>;

/** The agent as a process of its own, with the sandbox as its cluster. */
export interface AgentUnderAttack extends Target {
  program: ChildProgram;
  /** The control plane that the agent is connected to, in the process of the test. */
  plane: ControlPlane;
  /** Port of the agent's `--listen`. */
  port: number;
  /** The cluster, for assertions and to prepare it. */
  cluster: KubeCluster;
  /** Writes a chart into the folder of local charts. Default of `Chart.yaml`: a minimal one. */
  addChart(name: string, files: ChartFiles): Promise<void>;
  /**
   * Sends commands while a small installation runs beside them. Asserts that each has one of the
   * given codes (`ok` if it succeeds), the small installation succeeds, and neither the event loop
   * nor the memory suffers. Codes are separated by ` or `.
   */
  withstands(t: ExecutionContext, input: string, send: () => SentCommand[], codes: string): Promise<void>;
  close(): Promise<void>;
}

const smallChart = {
  'templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n',
};

/** Starts an agent with the given arguments of `run`. */
export async function startAgentUnderAttack(args: readonly string[] = []): Promise<AgentUnderAttack> {
  const folder = await mkdtemp(join(tmpdir(), 'helm-agent-'));
  const charts = join(folder, 'charts');
  const sandbox = await startSandbox({ host: realHost, speed: 20 });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, sandbox.kubeconfig);
  const cluster = connectCluster({ text: sandbox.kubeconfig });
  const plane = new ControlPlane();
  const address = `ws://127.0.0.1:${await plane.listen(0)}`;
  const program = startProgram([
    'run',
    ...['--control-plane', address, '--agent-id', agentId, '--listen', '0'],
    ...['--kubeconfig', kubeconfig, '--local-charts', charts],
    ...['--memory-limit', String(mostMiB)],
    ...args,
  ]);
  const counter = { releases: 0 };

  async function addChart(name: string, files: ChartFiles): Promise<void> {
    const chartFile = `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`;
    for (const [path, content] of Object.entries({ 'Chart.yaml': chartFile, ...files })) {
      const file = join(charts, name, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
    }
  }

  async function withstands(
    t: ExecutionContext,
    input: string,
    send: () => SentCommand[],
    codes: string,
  ): Promise<void> {
    const figure = await measure(agent, input, async () => {
      const commands = send();
      const small = plane.install(agentId, { releaseName: `small-${++counter.releases}`, chartName: 'small' });
      const results = await Promise.all(commands.map((command) => command.result));
      const beside = await small.result;
      t.true(beside.ok, JSON.stringify(beside));
      for (const result of results) if (!result.ok) t.log(result.error.message.slice(0, 500));
      const found = new Set(results.map((result) => (result.ok ? 'ok' : result.error.code)));
      return [...found].sort().join(' or ');
    });
    assertHarmless(t, figure, codes);
  }

  await addChart('small', smallChart);
  const { port } = await program.logged('the agent is running');
  await plane.waitForAgent(agentId, AbortSignal.timeout(10_000));
  const agent: AgentUnderAttack = {
    program,
    plane,
    port: Number(port),
    ping: { url: `ws://127.0.0.1:${Number(port)}/exe-cmd` },
    cluster,
    addChart,
    withstands,
    async close() {
      await program.close();
      await plane.close();
      await cluster.close();
      await sandbox.close();
      await rm(folder, { recursive: true });
    },
  };
  return agent;
}
