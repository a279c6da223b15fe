import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kubeconfigFile } from './real-cluster.ts';

const run = promisify(execFile);

export const helmPrograms = ['helm3', 'helm4'] as const;
export type HelmProgram = (typeof helmPrograms)[number];

/** What the real helm prints on the real cluster. It is looked for in the folder HELM_BIN, or in the PATH. Fails where helm fails. */
export async function helm(program: HelmProgram, ...args: string[]): Promise<string> {
  const file = join(process.env['HELM_BIN'] ?? '', program);
  const { stdout } = await run(file, args, { env: { ...process.env, KUBECONFIG: kubeconfigFile() }, timeout: 120_000 });
  return stdout;
}

/** As `helm`, with `--output json`. */
export async function helmJson<T>(program: HelmProgram, ...args: string[]): Promise<T> {
  return JSON.parse(await helm(program, ...args, '--output', 'json')) as T; // the caller knows what helm prints
}

/** A line of `helm list`. */
export interface ListedRelease {
  name: string;
  revision: string;
  status: string;
  chart: string;
}

/** A line of `helm history`. */
export interface HistoryEntry {
  revision: number;
  status: string;
  description: string;
}
