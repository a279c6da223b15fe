// Runs Helm's engine in its own process, built from helm-engine/.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import * as z from 'zod';
import { type BenchCase, benchKubeVersion, benchNamespace, type Effort } from './bench-case.ts';

const answerSchema = z.object({
  load: z.number(),
  values: z.array(z.number()).nullable(),
  render: z.array(z.number()).nullable(),
  sort: z.array(z.number()).nullable(),
  error: z.string().optional(),
});

/** Times in milliseconds. Lists have one time per run. */
interface HelmTimes {
  load: number;
  /** Merging and validating the values. */
  values: number[];
  /** Running the engine. */
  render: number[];
  /** Splitting into hooks and manifests. */
  sort: number[];
}

export interface HelmEngine {
  /**
   * Loads a chart and renders it repeatedly. Throws an error with Helm's text if the chart does not
   * render.
   */
  measure(one: BenchCase, effort: Effort): Promise<HelmTimes>;
  close(): Promise<void>;
}

/** Builds helm in the version of the engine and returns its path. Needs Go. */
export function buildHelm(buildFolder: string): Promise<string> {
  return goBuild('helm.sh/helm/v4/cmd/helm', join(buildFolder, 'helm'));
}

/** Builds the agent on Helm's SDK and returns its path. Needs Go. */
export function buildSdkAgent(buildFolder: string): Promise<string> {
  return goBuild('./sdk-agent', join(buildFolder, 'sdk-agent'));
}

async function goBuild(what: string, program: string): Promise<string> {
  await promisify(execFile)('go', ['build', '-o', program, what], { cwd: join(import.meta.dirname, 'helm-engine') });
  return program;
}

/** Builds and starts the program. Needs Go. */
export async function startHelmEngine(buildFolder: string): Promise<HelmEngine> {
  const program = await goBuild('.', join(buildFolder, 'helm-engine'));
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async measure({ chart, values }, effort) {
      const request = {
        chart,
        values: values ?? '',
        namespace: benchNamespace,
        kubeVersion: benchKubeVersion,
        ...effort,
      };
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const line = await lines.next();
      if (line.done) throw new Error('helm-engine ended');
      const { load, values: merging, render, sort, error } = answerSchema.parse(JSON.parse(line.value));
      if (error !== undefined) throw new Error(error);
      return { load, values: merging ?? [], render: render ?? [], sort: sort ?? [] };
    },
    async close() {
      child.stdin.end();
      await once(child, 'close');
    },
  };
}
