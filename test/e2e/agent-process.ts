import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { program } from '../support/program.ts';

/** The real program, in a child process. */
export interface AgentProcess {
  pid: number;
  /** Returns everything that it has printed so far. */
  output(): string;
  /** Resolves with the exit code when it ends, whether it was stopped or not. */
  exited: Promise<number | null>;
  /** Sends SIGTERM, as Kubernetes does, and returns the exit code. */
  stop(): Promise<number | null>;
}

/** Starts `helm-agent run` with the given arguments. */
export function startAgentProcess(args: string[]): AgentProcess {
  const child = spawn(process.execPath, [program, 'run', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit').then(() => child.exitCode);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  return {
    pid: child.pid ?? 0, // of a process that could not be started
    output: () => output,
    exited,
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
