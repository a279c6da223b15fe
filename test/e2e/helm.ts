import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kubeconfigFile } from './real-cluster.ts';

const run = promisify(execFile);

export const helmPrograms = ['helm3', 'helm4'] as const;
export type HelmProgram = (typeof helmPrograms)[number];

/** Runs helm, from the folder HELM_BIN or the PATH, on the real cluster and returns its output. */
export async function helm(program: HelmProgram, ...args: string[]): Promise<string> {
  const file = join(process.env['HELM_BIN'] ?? '', program);
  const { stdout } = await run(file, args, { env: { ...process.env, KUBECONFIG: kubeconfigFile() }, timeout: 120_000 });
  return stdout;
}

/** Runs helm with `--output json` and returns the parsed output. */
export async function helmJson<T>(program: HelmProgram, ...args: string[]): Promise<T> {
  return JSON.parse(await helm(program, ...args, '--output', 'json')) as T; // the caller knows the command's output
}

/** An entry of `helm list`. */
export interface ListedRelease {
  name: string;
  revision: string;
  status: string;
  chart: string;
}

/** An entry of `helm history`. */
export interface HistoryEntry {
  revision: number;
  status: string;
  description: string;
}
