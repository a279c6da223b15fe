// Renders as `helm template` does, for the tools that compare with it.
import { readFile } from 'node:fs/promises';
import { loadArchive } from '../src/chart/load/load-archive.ts';
import { requireInstallable } from '../src/chart/metadata/installable.ts';
import { loadValues } from '../src/chart/values/load-values.ts';
import { templateChart, TemplateError } from '../src/cli/template/template-chart.ts';
import type { Value } from '../src/go/value.ts';
import { createThreadedRenderer, type ThreadedRenderer } from '../src/render/worker/threaded-renderer.ts';

export interface TemplateCase {
  /** Path of a .tgz file. */
  chart: string;
  valuesFile: string | undefined;
  name: string;
  namespace: string;
  kubeVersion: string;
  includeCrds: boolean;
}

export type TemplateOutcome = { output: string; notes: string } | { error: string };

export function createCaseRenderer(threads: number, keyOrder: 'ascending' | 'descending'): ThreadedRenderer {
  const worker = keyOrder === 'ascending' ? '../src/bin/render-worker.ts' : './descending-worker.ts';
  return createThreadedRenderer({
    workerUrl: new URL(worker, import.meta.url),
    threads,
    // the version that helm v4.2.4 reports if it is built with `go install`
    helmVersion: {
      version: 'v4.2',
      gitCommit: '',
      gitTreeState: '',
      goVersion: 'go1.26.8',
      kubeClientVersion: 'v1.36',
    },
  });
}

export async function runTemplateCase(one: TemplateCase, renderer: ThreadedRenderer): Promise<TemplateOutcome> {
  try {
    return await template(one, renderer);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof TemplateError || 'code' in error) return { error: error.message };
    return { error: `defect: ${error.stack ?? error.message}` };
  }
}

async function template(one: TemplateCase, renderer: ThreadedRenderer): Promise<TemplateOutcome> {
  const { chart: archive, valuesFile, ...request } = one;
  const chart = await loadArchive(await readFile(archive));
  requireInstallable(chart);
  const values = valuesFile === undefined ? new Map<string, Value>() : loadValues(await readFile(valuesFile, 'utf8'));
  return templateChart({ ...request, chart, values }, renderer, AbortSignal.timeout(120_000));
}
