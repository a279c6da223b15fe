import { toBytes } from '../../go/text.ts';
import type { Chart, ChartFile } from '../chart.ts';
import { ChartError } from '../chart-error.ts';
import { chartYaml } from '../metadata/write-metadata.ts';
import { lockYaml } from '../metadata/write-lock.ts';

/**
 * Returns the files of a chart's archive in Helm's order: Chart.yaml and Chart.lock as Helm writes
 * them, and the subcharts unpacked (pkg/chart/v2/util/save.go: writeTarContents). Throws
 * {@link ChartError}.
 */
export function archiveFiles(chart: Chart, prefix = ''): ChartFile[] {
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
