import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kubeconfigFile } from './real-cluster.ts';

const run = promisify(execFile);

/** Most bytes that helm may print. A manifest can be larger than Node's usual limit. */
const maxBuffer = 64 * 1024 * 1024;

export const helmPrograms = ['helm3', 'helm4'] as const;
export type HelmProgram = (typeof helmPrograms)[number];

/** Runs helm, from the folder HELM_BIN or the PATH, on the real cluster and returns its output. */
export async function helm(program: HelmProgram, ...args: string[]): Promise<string> {
  const file = join(process.env['HELM_BIN'] ?? '', program);
  const env = { ...process.env, KUBECONFIG: kubeconfigFile() };
  const { stdout } = await run(file, args, { env, timeout: 120_000, maxBuffer });
  return stdout;
}

/** The end of a program: what it printed, and its exit code. */
export interface Ended {
  stdout: string;
  stderr: string;
  code: number;
}

/** Runs helm like {@link helm}, but returns failures too. */
export async function runHelm(program: HelmProgram, ...args: string[]): Promise<Ended> {
  const file = join(process.env['HELM_BIN'] ?? '', program);
  const options = { env: { ...process.env, KUBECONFIG: kubeconfigFile() }, timeout: 120_000, maxBuffer };
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      resolve({ stdout, stderr, code: error === null ? 0 : Number(error.code ?? 1) });
    });
  });
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
