// The agent as the image runs it: the bundle, with the environment of the Dockerfile.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type AgentProcess, startAgentProcess } from './agent-process.ts';

/** The flags of the image's entry point. */
const v8Flags = ['--max-semi-space-size=2', '--heap-growing-percent=40'];

/** Builds the bundle into a folder and returns its program. */
export async function buildBundle(folder: string): Promise<string> {
  const bundle = join(folder, 'bundle');
  const tool = new URL('../tools/bundle.ts', import.meta.url).pathname;
  await promisify(execFile)(process.execPath, [tool, bundle], { cwd: new URL('..', import.meta.url).pathname });
  return join(bundle, 'helm-agent.mjs');
}

/** Starts the program with `moreArgs` of `helm-agent run`, and more variables. */
export function startImageAgent(
  program: string,
  kubeconfig: string,
  charts: string,
  moreArgs: readonly string[] = [],
  moreEnv: Readonly<Record<string, string>> = {},
): Promise<AgentProcess> {
  const args = [program, 'run', '--kubeconfig', kubeconfig, '--local-charts', charts, '--agent-id', 'own', ...moreArgs];
  return startAgentProcess(process.execPath, (url) => [...v8Flags, ...args, '--control-plane', url], {
    HELM_AGENT_LOG_LEVEL: 'error',
    NODE_ENV: 'production',
    MALLOC_ARENA_MAX: '2',
    MALLOC_TRIM_THRESHOLD_: '131072',
    ...moreEnv,
  });
}
