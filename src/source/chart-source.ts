import type { Dispatcher } from 'undici';
import type { Chart } from '../chart/chart.ts';
import { defaultChartLimits, type ChartLimits } from '../chart/limits.ts';
import { loadArchive } from '../chart/load/load-archive.ts';
import type { ChartRequest } from './chart-request.ts';
import { loadLocalChart } from './local-chart.ts';
import { downloadFromRepository } from './repository.ts';
import { SourceError } from './source-error.ts';

const mebibyte = 1024 * 1024;

/** Limits where none are given. */
export const sourceDefaults = {
  timeoutMs: 120_000,
  maxIndexBytes: 64 * mebibyte,
  maxArchiveBytes: 100 * mebibyte,
} as const;

export interface ChartSourceOptions {
  /** The folder below which a chart may be named by its path. Absent: none may. */
  localCharts?: string | undefined;
  /** What HTTP requests go through, with its proxies and certificate authorities. Default: undici's global one. */
  dispatcher?: Dispatcher | undefined;
  /** For each download, redirects included, in milliseconds. Default 120,000, as in Helm. */
  timeoutMs?: number | undefined;
  /** Default 64 MiB. */
  maxIndexBytes?: number | undefined;
  /** Of a packed chart. Default 100 MiB, as in Helm. */
  maxArchiveBytes?: number | undefined;
  /** Of what is in a chart. Default: `defaultChartLimits`. */
  chartLimits?: ChartLimits | undefined;
}

/** Where charts come from. */
export interface ChartSource {
  /** Fetches and loads a chart. Throws {@link SourceError}, `ChartError`, or the signal's reason. */
  load(request: ChartRequest, signal: AbortSignal): Promise<Chart>;
}

export function createChartSource(options: ChartSourceOptions = {}): ChartSource {
  const {
    localCharts,
    dispatcher,
    timeoutMs = sourceDefaults.timeoutMs,
    maxIndexBytes = sourceDefaults.maxIndexBytes,
    maxArchiveBytes = sourceDefaults.maxArchiveBytes,
    chartLimits: limits = defaultChartLimits,
  } = options;
  const repositoryOptions = { dispatcher, timeoutMs, maxIndexBytes, maxArchiveBytes };
  return {
    async load(request, signal) {
      const { chartName, repoUrl } = request;
      if (chartName.trim() === '') {
        throw new SourceError(
          'chart_not_found',
          "the chart's name is empty; give the name of a chart in the repository",
        );
      }
      refuseUrl(chartName);
      if (repoUrl) {
        const archive = await downloadFromRepository({ ...request, repoUrl }, repositoryOptions, signal);
        return loadArchive(archive, { signal, limits });
      }
      if (localCharts === undefined) throw localChartsDisabled(chartName);
      return loadLocalChart(chartName, { folder: localCharts, maxArchiveBytes, limits }, signal);
    },
  };
}

function refuseUrl(chartName: string): void {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(chartName)?.[1];
  if (scheme === undefined) return;
  throw new SourceError(
    'unsupported',
    scheme.toLowerCase() === 'oci'
      ? 'charts in OCI registries (oci://) are not supported yet; give the URL of an HTTP repository and the name of a chart in it'
      : `a chart cannot be named by a ${scheme}:// address; give the URL of its repository and the name of the chart in it`,
  );
}

function localChartsDisabled(chartName: string): SourceError {
  return new SourceError(
    'local_charts_disabled',
    `without a repository URL the chart ${JSON.stringify(chartName)} is a path, and the agent allows none; give the URL of a repository, or start the agent with --local-charts DIR`,
  );
}
