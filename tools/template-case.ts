// Does what `helm template` does, for the runners that compare with it.
import { readFile } from 'node:fs/promises';
import type { Chart } from '../src/chart/chart.ts';
import type { Value } from '../src/go/value.ts';
import { requireInstallable } from '../src/chart/installable.ts';
import { loadArchive } from '../src/chart/load-archive.ts';
import { loadValues } from '../src/chart/load-values.ts';
import { knownApiVersions } from '../src/render/api-versions.ts';
import { printManifest } from '../src/render/manifest.ts';
import { createRenderer, type ThreadedRenderer } from '../src/render/renderer.ts';

export interface TemplateCase {
  /** Path of a .tgz. */
  chart: string;
  valuesFile: string | undefined;
  name: string;
  namespace: string;
  kubeVersion: string;
  includeCrds: boolean;
}

export type TemplateOutcome = { output: string; notes: string } | { error: string };

export function createCaseRenderer(threads: number): ThreadedRenderer {
  return createRenderer({
    workerUrl: new URL('../src/bin/render-worker.ts', import.meta.url),
    threads,
    // what `go install` makes of helm v4.2.4 says of itself
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
    if (!('code' in error)) return { error: `defect: ${error.stack ?? error.message}` };
    const rendering = ['render_failed', 'chart_incompatible'].includes(String(error.code));
    return { error: rendering ? `${error.message}\n\nUse --debug flag to render out invalid YAML` : error.message };
  }
}

async function template(one: TemplateCase, renderer: ThreadedRenderer): Promise<TemplateOutcome> {
  const chart: Chart = await loadArchive(await readFile(one.chart));
  requireInstallable(chart);
  const values =
    one.valuesFile === undefined ? new Map<string, Value>() : loadValues(await readFile(one.valuesFile, 'utf8'));
  const rendered = await renderer.render(
    {
      chart,
      values,
      release: { name: one.name, namespace: one.namespace, revision: 1, isInstall: true, isUpgrade: false },
      capabilities: { version: { gitVersion: one.kubeVersion }, apiVersions: knownApiVersions },
    },
    AbortSignal.timeout(120_000),
  );
  const crds = rendered.crds.map(({ filename, data }) => printManifest(filename, Buffer.from(data).toString()));
  const manifest = [...(one.includeCrds ? crds : []), rendered.manifest].join('').trim();
  const hooks = rendered.hooks.map(({ path, manifest: text }) => printManifest(path, text));
  return { output: `${manifest}\n${hooks.join('')}`, notes: rendered.notes };
}
