// Runs this project's engine in this process.
import { readFile } from 'node:fs/promises';
import { loadArchive } from '../src/chart/load/load-archive.ts';
import { loadValues } from '../src/chart/values/load-values.ts';
import type { Value, ValueMap } from '../src/go/value.ts';
import type { Engine } from '../src/render/engine.ts';
import { createEngines } from '../src/render/engines.ts';
import { processHost } from '../src/render/process-host.ts';
import { renderChart } from '../src/render/render-chart.ts';
import { knownApiVersions } from '../src/render/scope/api-versions.ts';
import type { Capabilities } from '../src/render/scope/capabilities.ts';
import { defaultHelmVersion } from '../src/render/scope/helm-version.ts';
import { type BenchCase, benchKubeVersion, benchNamespace, type Effort } from './bench-case.ts';

const capabilities: Capabilities = {
  kubeVersion: { version: benchKubeVersion, normalized: benchKubeVersion, major: '1', minor: '35' },
  apiVersions: knownApiVersions,
  helmVersion: defaultHelmVersion,
};

/** Times in milliseconds, one per run. */
export interface OwnTimes {
  /** Loading, compiling and rendering a chart for the first time. */
  cold: number[];
  /** Rendering the chart again with other values. */
  warm: number[];
}

/** Returns an engine that has not rendered a chart yet. */
export function newEngine(): Engine {
  return createEngines(processHost());
}

/** Loads a chart and renders it. */
export async function measureOwn(one: BenchCase, effort: Effort): Promise<OwnTimes> {
  const cold: number[] = [];
  for (let run = 0; run < effort.minRuns; run++) {
    const engine = newEngine();
    const start = performance.now();
    await renderCase(one, engine, run);
    cold.push(performance.now() - start);
  }
  return { cold, warm: await measureWarm(one, effort) };
}

/** Loads a chart and renders it. */
export async function renderCase(one: BenchCase, engine: Engine, run: number): Promise<void> {
  const chart = await loadArchive(await readFile(one.chart));
  render(chart, await valuesOf(one), engine, run);
}

async function measureWarm(one: BenchCase, { minRuns, minMillis }: Effort): Promise<number[]> {
  const chart = await loadArchive(await readFile(one.chart));
  const engine = newEngine();
  render(chart, await valuesOf(one), engine, 0);
  const times: number[] = [];
  const begin = performance.now();
  for (let run = 1; run <= minRuns || performance.now() - begin < minMillis; run++) {
    const values = await valuesOf(one);
    const start = performance.now();
    render(chart, values, engine, run);
    times.push(performance.now() - start);
  }
  return times;
}

async function valuesOf({ values }: BenchCase): Promise<ValueMap> {
  return values === undefined ? new Map<string, Value>() : loadValues(await readFile(values, 'utf8'));
}

function render(
  chart: Parameters<typeof renderChart>[0]['chart'],
  values: ValueMap,
  engine: Engine,
  run: number,
): void {
  const release = { name: `run-${run}`, namespace: benchNamespace, revision: 1, isInstall: true, isUpgrade: false };
  renderChart({ chart, values, release, capabilities }, engine);
}
