import type { DownloadContext } from './context.ts';
import type { ChartPathOptions } from './context.ts';
import type { DownloadedChart } from './download-chart.ts';
import { localChart, type LocatedChart } from './located-chart.ts';

/**
 * Finds the chart that a user names: a folder or an archive at a path, or a chart to download, and
 * verifies it with `verify` (pkg/action/install.go: LocateChart). `onPulled` receives the lines
 * about a chart that was pulled from a registry. Throws an error with Helm's text if it has one.
 */
export async function locateChart(
  given: string,
  options: ChartPathOptions,
  context: DownloadContext,
  onPulled: (lines: string) => void,
): Promise<LocatedChart> {
  const name = given.trim();
  if (options.repo === '') {
    const local = await localChart(name);
    if (local !== undefined) {
      if (options.verify) await verifyLocal(local, options, context);
      return local;
    }
  }
  // most charts are local, so the rest is loaded only when it is needed
  const [{ downloadChart }, { contentCache }] = await Promise.all([
    import('./download-chart.ts'),
    import('./content-cache.ts'),
  ]);
  const version = options.version.trim();
  const { signal } = new AbortController();
  const downloaded = await downloadChart(name, { ...options, version, onPulled }, context, signal);
  const path = await contentCache(context.settings.contentCache).put(downloaded.archive);
  if (options.verify) await verifyCached(downloaded, options, context);
  return { archive: downloaded.archive, name: path };
}

async function verifyLocal(
  chart: LocatedChart,
  { keyring }: ChartPathOptions,
  context: DownloadContext,
): Promise<void> {
  const { verifyChartFile } = await import('./verify-chart.ts');
  if ('folder' in chart) await verifyChartFile(chart.folder, keyring, context);
  else await verifyChartFile(chart.name, keyring, context, chart.archive);
}

/** Verifies a chart with the signature in Helm's cache, which is downloaded if it is not there. */
async function verifyCached(chart: DownloadedChart, { keyring }: ChartPathOptions, context: DownloadContext) {
  const [{ contentCache }, { fetchProvenance }, { verifyDownloaded }] = await Promise.all([
    import('./content-cache.ts'),
    import('./verify-chart.ts'),
    import('./verify-chart.ts'),
  ]);
  const cache = contentCache(context.settings.contentCache);
  const cached = await cache.getProvenance(chart.archive);
  const provenance = cached ?? (await fetchProvenance(chart, 'always', () => undefined));
  if (provenance === undefined) return;
  if (cached === undefined) await cache.putProvenance(chart.archive, provenance);
  await verifyDownloaded(chart, provenance, keyring, context);
}
