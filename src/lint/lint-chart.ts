import { stat } from 'node:fs/promises';
import { join, parse, resolve } from 'node:path';
import type { Chart } from '../chart/chart.ts';
import { ChartError } from '../chart/chart-error.ts';
import type { Notice } from '../chart/load/chart-content.ts';
import { loadDirectory } from '../chart/load/load-directory.ts';
import { isMissing } from '../errors/index.ts';
import { fromBytes } from '../go/text.ts';
import { crdFiles } from '../render/manifest/documents.ts';
import { lintChartFile } from './chart-file-rules.ts';
import { eachObject } from './each-object.ts';
import { collectFindings, type Finding, type Report } from './finding.ts';
import type { LintOptions } from './lint-options.ts';
import { lintTemplates } from './template-rules.ts';
import { lintValues } from './values-rules.ts';

/**
 * Result of loading a chart. `log` repeats the lines that Helm logs each time it loads the chart.
 */
interface Loaded {
  chart: { chart: Chart } | { problem: string };
  log: () => void;
}

/** Lints a chart's folder. Returns the findings in Helm's order (pkg/chart/v2/lint/lint.go). */
export async function lintChart(path: string, options: LintOptions): Promise<Finding[]> {
  const folder = resolve(path);
  const { findings, report } = collectFindings();
  await lintChartFile(folder, report);
  await lintValues(folder, options, report);
  const { chart: loaded, log } = await load(folder, options);
  if (await isFolder(folder, 'templates/', report, 'directory does not exist')) {
    log();
    if ('chart' in loaded) await lintTemplates(loaded.chart, options, report);
    else report('ERROR', 'templates/', loaded.problem);
  }
  log();
  if ('chart' in loaded) lintDependencies(loaded.chart, folder, report);
  else report('ERROR', '', `unable to load chart\n\t${loaded.problem}`);
  if (await isFolder(folder, 'crds/', report)) {
    log();
    if ('chart' in loaded) lintCrds(loaded.chart, report);
    else report('ERROR', 'crds/', loaded.problem);
  }
  return findings;
}

async function load(folder: string, { helm }: Pick<LintOptions, 'helm'>): Promise<Loaded> {
  const notices: Parameters<Notice>[] = [];
  const notice: Notice = (...parts) => notices.push(parts);
  const log = () => {
    for (const parts of notices) helm.notice(...parts);
  };
  try {
    return { chart: { chart: await loadDirectory(folder, { root: parse(folder).root, notice }) }, log };
  } catch (error) {
    if (!(error instanceof ChartError)) throw error;
    return { chart: { problem: error.message }, log };
  }
}

/** Whether a folder exists. If not, reports `absent` as a warning. */
async function isFolder(folder: string, name: string, report: Report, absent?: string): Promise<boolean> {
  const facts = await stat(join(folder, name.slice(0, -1))).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (facts === undefined) {
    report('WARNING', name, absent);
    return false;
  }
  return report('ERROR', name, facts.isDirectory() ? undefined : 'not a directory');
}

/** Lints the crds/ folder (pkg/chart/v2/lint/rules/crds.go). */
function lintCrds(chart: Chart, report: Report): void {
  for (const { name, data } of crdFiles(chart)) {
    const isReadable = eachObject(fromBytes(data), name, report, ({ apiVersion, kind }) => {
      const isExtension = apiVersion.startsWith('apiextensions.k8s.io');
      report('ERROR', name, isExtension ? undefined : "apiVersion is not in 'apiextensions.k8s.io'");
      const isCrd = kind === 'CustomResourceDefinition';
      report('ERROR', name, isCrd ? undefined : "object kind is not 'CustomResourceDefinition'");
    });
    if (!isReadable) return;
  }
}

/**
 * Lints the dependencies of a chart (pkg/chart/v2/lint/rules/dependencies.go).
 * @param folder path of the chart
 */
function lintDependencies(chart: Chart, folder: string, report: Report): void {
  const wanted = chart.metadata.dependencies ?? [];
  const named = new Set(wanted.map(({ name }) => name));
  const present = chart.dependencies.map(({ metadata }) => metadata.name);
  report(
    'ERROR',
    folder,
    listed(
      'chart metadata is missing these dependencies',
      present.filter((name) => !named.has(name)),
    ),
  );
  // loading a chart checks that names are unique
  const missing = [...wanted.map(({ name }) => name)].filter((name) => !present.includes(name));
  report('WARNING', folder, listed('chart directory is missing these dependencies', missing));
}

function listed(text: string, names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `${text}: ${names.join(',')}`;
}
