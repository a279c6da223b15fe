import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Chart } from '../../chart/chart.ts';
import { ChartError } from '../../chart/chart-error.ts';
import { loadLocalDirectory } from '../load-chart.ts';
import { lintChartFile } from './chart-file-rules.ts';
import { lintCrds } from './crd-rules.ts';
import { lintDependencies } from './dependency-rules.ts';
import { collectFindings, type Finding, type Report } from './finding.ts';
import type { LintOptions } from './lint-options.ts';
import { lintTemplates } from './template-rules.ts';
import { lintValues } from './values-rules.ts';

type Loaded = { chart: Chart } | { problem: string };

/** All that Helm's linter finds in a chart's folder, in its order (pkg/chart/v2/lint/lint.go). */
export async function lintChart(path: string, options: LintOptions): Promise<Finding[]> {
  const folder = resolve(path);
  const { findings, report } = collectFindings();
  await lintChartFile(folder, report);
  await lintValues(folder, options, report);
  const loaded = await load(folder);
  if (await isFolder(folder, 'templates/', report, 'directory does not exist')) {
    if ('chart' in loaded) await lintTemplates(loaded.chart, options, report);
    else report('ERROR', 'templates/', loaded.problem);
  }
  if ('chart' in loaded) lintDependencies(loaded.chart, folder, report);
  else report('ERROR', '', `unable to load chart\n\t${loaded.problem}`);
  if (await isFolder(folder, 'crds/', report)) {
    if ('chart' in loaded) lintCrds(loaded.chart, report);
    else report('ERROR', 'crds/', loaded.problem);
  }
  return findings;
}

async function load(folder: string): Promise<Loaded> {
  try {
    return { chart: await loadLocalDirectory(folder) };
  } catch (error) {
    if (!(error instanceof ChartError)) throw error;
    return { problem: error.message };
  }
}

/** Whether a folder is there; `absent` is what to warn of where nothing is. */
async function isFolder(folder: string, name: string, report: Report, absent?: string): Promise<boolean> {
  const facts = await stat(join(folder, name.slice(0, -1))).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (facts === undefined) {
    report('WARNING', name, absent);
    return false;
  }
  return report('ERROR', name, facts.isDirectory() ? undefined : 'not a directory');
}
