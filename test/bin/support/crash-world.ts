import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ControlPlane, type SentCommand } from '../../../src/control-plane/index.ts';
import { tokensOf } from '../../control-plane/support/credentials.ts';
import { program } from '../../support/program.ts';
import { quickStart } from '../../support/quick-start.ts';
import { type CrashCluster, crashCluster, type CrashClusterOptions } from './crash-cluster.ts';
import { agentId as defaultAgentId } from './world.ts';

/**
 * A control plane, a cluster, and an agent as a process of its own that can be killed. Its journal
 * is in the cluster.
 */
export interface CrashWorld extends Pick<CrashCluster, 'cluster' | 'left' | 'jobs' | 'close'> {
  plane: ControlPlane;
  agentId: string;
  /** Starts a process of the agent, and resolves when it is connected. */
  start(): Promise<ChildProcess>;
  /** Kills the processes that a failed test has left: they would take commands of the next one. */
  killAll(): Promise<void>;
}

export interface CrashWorldOptions extends CrashClusterOptions {
  /**
   * Id of the agent. Another agent of the cluster with the same id recovers its releases. Default:
   * the namespace of the agent, and `edge-1` on a sandbox.
   */
  agentId?: string;
  /** More arguments of the agent. */
  args?: readonly string[];
}

/**
 * Time for an agent to connect, in milliseconds. A real cluster and the tests beside it share the
 * machine.
 */
const connectMs = { sandbox: 55_000, real: 120_000 };

/** Time for the control plane to notice that a process has ended, in milliseconds. */
const noticeMs = 30_000;

export async function crashWorld(options: CrashWorldOptions = {}): Promise<CrashWorld> {
  const { agentId = options.agentNamespace ?? defaultAgentId } = options;
  const children: ChildProcess[] = [];
  const { cluster, folder, left, jobs, ...own } = await crashCluster(options);
  const plane = new ControlPlane({ authenticate: tokensOf({ [agentId]: 'open-sesame' }) });
  const [kubeconfig, tokenFile] = [join(folder, 'kubeconfig'), join(folder, 'token')];
  await writeFile(kubeconfig, own.kubeconfig);
  await writeFile(tokenFile, 'open-sesame\n');
  const port = await plane.listen(0);
  const world: CrashWorld = {
    plane,
    agentId,
    cluster,
    left,
    jobs,
    async start() {
      const args = [
        'run',
        '--kubeconfig',
        kubeconfig,
        '--local-charts',
        join(folder, 'charts'),
        '--journal',
        'cluster',
        ...(options.args ?? []),
      ];
      const child = spawn(process.execPath, [program, ...args], {
        env: {
          ...quickStart(),
          HELM_AGENT_CONTROL_PLANE: `ws://127.0.0.1:${port}`,
          HELM_AGENT_AGENT_ID: agentId,
          HELM_AGENT_TOKEN_FILE: tokenFile,
          HELM_AGENT_LOG_LEVEL: 'warn',
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      child.once('exit', (code, signal) => {
        if (!child.killed) console.error(`an agent exited by itself with ${code ?? signal}`);
      });
      children.push(child);
      await plane.waitForAgent(
        agentId,
        AbortSignal.timeout(options.kubeconfig === undefined ? connectMs.sandbox : connectMs.real),
      );
      return child;
    },
    async killAll() {
      for (const child of children) child.kill('SIGKILL');
      for (const child of children.splice(0)) await kill(world, child);
    },
    async close() {
      for (const child of children) child.kill('SIGKILL');
      await plane.close();
      await own.close();
    },
  };
  return world;
}

/** Kills a process, and resolves when the control plane has noticed it. */
export async function kill({ plane }: CrashWorld, child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  const deadline = performance.now() + noticeMs;
  while (plane.agents().length > 0) {
    if (performance.now() > deadline) throw new Error('the control plane has not noticed that the agent has ended');
    await sleep(5);
  }
}

/** Resolves when a command has sent a number of status packets, or its result. */
export async function statuses(command: SentCommand, count: number): Promise<void> {
  let seen = 0;
  if (count === 0) return;
  for await (const { type } of command) if (type === 'status' && ++seen === count) return;
}
