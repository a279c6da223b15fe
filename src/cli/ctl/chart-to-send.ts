import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { packChart } from '../../chart/save/pack-chart.ts';
import { loadChart, localChart, type LocatedChart, requireArchive } from '../../downloader/index.ts';
import { maxChartArchiveBytes, maxUploadedChartBytes } from '../../protocol/limits.ts';
import { chartLocation } from '../../source/chart-location.ts';
import type { ApiClient } from './api-client.ts';

/** The flags that say where a chart is. */
interface ChartPlaceFlags {
  repo?: string | undefined;
  onAgent?: boolean | undefined;
}

/**
 * Returns the chart of this machine that a name means: the folder or the archive at a path, as for
 * helm. Undefined if the agent finds the chart: in a repository, at a URL, or below its own folder.
 * Throws an error for a path without a chart.
 */
export async function chartToSend(
  given: string,
  { repo, onAgent = false }: ChartPlaceFlags,
): Promise<LocatedChart | undefined> {
  const name = given.trim();
  if (onAgent && repo !== undefined) throw new Error('--on-agent and --repo exclude each other');
  if (onAgent || repo !== undefined || chartLocation(name).kind !== 'name') return undefined;
  const isPath = /^\.{0,2}\/|^\.{1,2}$/.test(name);
  const chart = await localChart(name).catch((error: unknown) => {
    throw new Error(`there is no chart at ${name} on this machine; ${agentAdvice}`, { cause: error });
  });
  if (chart === undefined) {
    if (/\.(?:tgz|tar\.gz)$/.test(name)) throw new Error(`there is no archive ${name} on this machine; ${agentAdvice}`);
    if (isPath) throw new Error(`there is no chart at ${name} on this machine; ${agentAdvice}`);
    return undefined;
  }
  if ('archive' in chart) await requireArchive(chart);
  // a bare name may be that of a chart on the agent and of any other folder here
  else if (!isPath && !name.includes('/') && !(await hasChartFile(chart.folder))) return undefined;
  return chart;
}

const agentAdvice = 'to name a path on the agent, below its --local-charts folder, add --on-agent';

async function hasChartFile(folder: string): Promise<boolean> {
  return stat(join(folder, 'Chart.yaml')).then(
    () => true,
    () => false,
  );
}

/** The largest provenance file that a command has, in bytes. */
const maxProvenanceBytes = 256 * 1024;

/** Returns the provenance file beside an archive, for the agent to verify. */
async function provenanceOf(chart: LocatedChart): Promise<{ chartProvenance?: string }> {
  if (!('archive' in chart)) return {};
  const file = `${chart.name}.prov`;
  const facts = await stat(file).catch(() => undefined);
  if (facts?.isFile() !== true || facts.size > maxProvenanceBytes) return {};
  return { chartProvenance: await readFile(file, 'utf8') };
}

/**
 * Returns the fields of a command that has its chart with it. Uploads a large chart.
 *
 * @param load loads the chart of a folder
 * @param maxBytes of an archive that is in the command itself
 */
export async function packedChart(
  chart: LocatedChart,
  client: ApiClient,
  signal: AbortSignal,
  // the agent logs the notices of a chart
  load = () => loadChart(chart, () => undefined),
  maxBytes = maxChartArchiveBytes,
) {
  const archive = 'archive' in chart ? chart.archive : await packChart(await load(), new Date(0));
  const provenance = await provenanceOf(chart);
  const chartDigest = createHash('sha256').update(archive).digest('hex');
  if (archive.length <= maxBytes) {
    return { chartArchive: Buffer.from(archive).toString('base64'), chartDigest, ...provenance };
  }
  if (archive.length > maxUploadedChartBytes) {
    throw new Error(
      `the chart has ${archive.length} bytes as an archive; at most ${maxUploadedChartBytes} are allowed`,
    );
  }
  const chartUpload = `sha256:${chartDigest}`;
  await client.uploadChart(chartUpload, archive, signal);
  return { chartUpload, ...provenance };
}
