import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { toBytes } from '../../go/text.ts';
import type { Chart, ChartFile } from '../chart.ts';
import { ChartError } from '../chart-error.ts';
import { lockYaml } from '../metadata/lock.ts';
import { chartYaml } from '../metadata/write-metadata.ts';

/**
 * Packs a chart as `helm package` does (pkg/chart/v2/util/save.go). Files without a time of their
 * last change get the time `now`. Throws `ChartError`.
 */
export async function packChart(chart: Chart, now: Date): Promise<Buffer> {
  const tar = pack();
  for (const { name, data, modified } of archiveFiles(chart)) {
    tar.entry({ name, mode: 0o644, mtime: toSeconds(modified ?? now) }, Buffer.from(data));
  }
  tar.finalize();
  return promisify(gzip)(await buffer(tar));
}

/** Returns the name of a chart's archive. */
export function archiveName({ metadata: { name, version } }: Chart): string {
  return `${name}-${version}.tgz`;
}

/** Go rounds the times in an archive. */
function toSeconds(time: Date): Date {
  return new Date(Math.round(time.getTime() / 1000) * 1000);
}

/**
 * Returns the files of a chart's archive in Helm's order: Chart.yaml and Chart.lock as Helm writes
 * them, and the subcharts unpacked (pkg/chart/v2/util/save.go: writeTarContents). Throws
 * {@link ChartError}.
 */
function archiveFiles(chart: Chart, prefix = ''): ChartFile[] {
  const { metadata, lock, valuesFile, schema, modified = {} } = chart;
  if (metadata.name.includes('/')) throw invalidName(metadata.name);
  if (schema !== undefined) requireJson(schema);
  const isV1 = metadata.apiVersion === 'v1';
  const top: ChartFile[] = [
    fileOf(
      'Chart.yaml',
      toBytes(chartYaml(isV1 ? { ...metadata, dependencies: [] } : metadata)),
      modified['Chart.yaml'],
    ),
  ];
  if (!isV1 && lock !== undefined) top.push(fileOf('Chart.lock', toBytes(lockYaml(lock)), new Date(lock.generated)));
  if (valuesFile !== undefined) top.push(fileOf('values.yaml', valuesFile, modified['values.yaml']));
  if (schema !== undefined) top.push(fileOf('values.schema.json', schema, modified['values.schema.json']));
  const folder = `${prefix}${metadata.name}/`;
  const own = [...top, ...chart.templates, ...chart.files].map((file) => ({ ...file, name: folder + file.name }));
  return [...own, ...chart.dependencies.flatMap((child) => archiveFiles(child, `${folder}charts/`))];
}

function fileOf(name: string, data: Uint8Array, modified: Date | undefined): ChartFile {
  return { name, data, ...(modified && { modified }) };
}

function requireJson(schema: Uint8Array): void {
  try {
    JSON.parse(Buffer.from(schema).toString());
  } catch (cause) {
    throw new ChartError('chart_invalid', 'invalid JSON in values.schema.json', { cause });
  }
}

function invalidName(name: string): ChartError {
  return new ChartError('chart_invalid', `${JSON.stringify(name)} is not a valid chart name`);
}
