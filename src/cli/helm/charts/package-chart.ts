import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { Chart } from '../../../chart/chart.ts';
import { loadDirectory } from '../../../chart/load/load-directory.ts';
import { missingDependencies } from '../../../chart/metadata/installable.ts';
import { archiveName, packChart } from '../../../chart/save/pack-chart.ts';
import { messageOf } from '../../../errors/index.ts';
import { parseVersion } from '../../../go/semver.ts';
import { epochMilliseconds } from '../../../operation/clock.ts';
import { requireKnownFormat } from '../../template/chart-version.ts';
import type { HelmContext } from '../context.ts';

/** Changes of the chart; empty texts change nothing. */
interface Changes {
  readonly version: string;
  readonly appVersion: string;
}

/**
 * Packs the chart in a folder and writes the archive to another folder (pkg/action/package.go).
 * Returns the name of the archive. Throws an error with Helm's text.
 */
export async function packageChart(
  folder: string,
  destination: string,
  { version, appVersion }: Changes,
  { host, log }: Pick<HelmContext, 'host' | 'log'>,
): Promise<string> {
  await requireKnownFormat({ folder });
  const chart = await loadDirectory(folder, { root: parse(folder).root, times: true, notice: log.notice });
  if (version !== '') chart.metadata.version = version;
  if (appVersion !== '') chart.metadata.appVersion = appVersion;
  parseVersion(chart.metadata.version);
  const missing = missingDependencies(chart);
  if (missing !== undefined) throw new Error(missing);
  const now = new Date(epochMilliseconds(host));
  return saveChart(chart, destination, now).catch((cause: unknown) => {
    throw new Error(`failed to save: ${messageOf(cause)}`, { cause });
  });
}

/** Writes the archive of a chart to a folder, and returns its name (pkg/chart/v2/util/save.go). */
export async function saveChart(chart: Chart, destination: string, now: Date): Promise<string> {
  const name = archiveName(chart);
  const facts = await stat(destination).catch(() => undefined);
  if (facts !== undefined && !facts.isDirectory()) throw new Error(`is not a directory: ${destination}`);
  await mkdir(destination, { recursive: true });
  await writeFile(join(destination, name), await packChart(chart, now));
  return name;
}
