import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Chart } from '../../chart/chart.ts';
import { ChartError } from '../../chart/chart-error.ts';
import { defaultChartLimits, type ChartLimits } from '../../chart/limits.ts';
import { loadArchive } from '../../chart/load/load-archive.ts';
import { loadDirectory } from '../../chart/load/load-directory.ts';
import { loadFiles } from '../../chart/load/load-files.ts';
import { toBytes } from '../../go/text.ts';

/**
 * Where a chart is: the path (or `file:` URL) of a folder or a `.tgz`; the bytes of a `.tgz`, at once or as a stream; or its files, by their paths in
 * the chart's folder, such as `templates/service.yaml`.
 */
export type ChartSource =
  string | URL | Uint8Array | AsyncIterable<Uint8Array> | Readonly<Record<string, string | Uint8Array>>;

export interface ChartSourceOptions {
  /** How large a chart may be. Default Helm's limits: 100 MiB, 5 MiB a file; and 20,000 files, an archive of a 200th of its content. */
  chartLimits?: Partial<ChartLimits>;
  /** The folder that links in a chart's folder must not lead out of. Default the chart's own. */
  root?: string;
  /** Ends the loading of a chart. */
  signal?: AbortSignal;
}

/** Loads a chart. Throws ChartError; errors of the file system and of a stream as they come. */
export async function chartFrom(source: ChartSource, options: ChartSourceOptions): Promise<Chart> {
  const limits = { ...defaultChartLimits, ...options.chartLimits };
  const loading = { limits, ...(options.signal && { signal: options.signal }) };
  const archive = (data: Uint8Array) => loadArchive(data, loading);
  if (typeof source === 'string' || source instanceof URL) {
    const path = typeof source === 'string' ? source : fileURLToPath(source);
    if (!(await stat(path)).isDirectory()) return archive(await readFile(path));
    return loadDirectory(path, { ...loading, ...(options.root !== undefined && { root: options.root }) });
  }
  if (source instanceof Uint8Array) return archive(source);
  if (isStream(source)) return archive(await bytesOf(source, limits));
  const files = Object.entries(source).map(([name, data]) => ({
    name,
    data: typeof data === 'string' ? toBytes(data) : data,
  }));
  return loadFiles(files, archive);
}

function isStream(source: AsyncIterable<Uint8Array> | object): source is AsyncIterable<Uint8Array> {
  return Symbol.asyncIterator in source;
}

async function bytesOf(stream: AsyncIterable<Uint8Array>, { chartBytes }: ChartLimits): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > chartBytes) throw new ChartError('too_large', `the chart's archive is larger than ${chartBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
