import { localChart, type LocatedChart } from '../../locate-chart.ts';
import type { HelmContext } from '../context.ts';
import type { ChartPathOptions } from '../flags/chart-path-flags.ts';
import { refuseVerification } from './verification.ts';

/**
 * Finds the chart that a user names: a folder or an archive at a path, or a chart to download
 * (pkg/action/install.go: LocateChart). `onPulled` receives the lines about a chart that was pulled
 * from a registry. Throws an error with Helm's text if it has one.
 */
export async function findHelmChart(
  given: string,
  options: ChartPathOptions,
  context: HelmContext,
  { onPulled, signal = new AbortController().signal }: { onPulled: (lines: string) => void; signal?: AbortSignal },
): Promise<LocatedChart> {
  const name = given.trim();
  if (options.repo === '') {
    const local = await localChart(name);
    if (local !== undefined) {
      if (options.verify) refuseVerification();
      return local;
    }
  }
  if (options.verify) refuseVerification();
  // most charts are local, so the rest is loaded only when it is needed
  const [{ downloadChart }, { contentCache }] = await Promise.all([
    import('./download-chart.ts'),
    import('./content-cache.ts'),
  ]);
  const version = options.version.trim();
  const { archive } = await downloadChart(name, { ...options, version, onPulled }, context, signal);
  return { archive, name: await contentCache(context.settings.contentCache).put(archive) };
}
