import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Chart } from '../../chart/chart.ts';
import { ChartError } from '../../chart/chart-error.ts';
import { type ChartLimits, defaultChartLimits } from '../../chart/limits.ts';
import { loadArchive, loadUnpacked } from '../../chart/load/load-archive.ts';
import { loadDirectory } from '../../chart/load/load-directory.ts';
import { isMissing } from '../../errors/index.ts';
import { toBytes } from '../../go/text.ts';

/**
 * A chart: the path (or `file:` URL) of a folder or a `.tgz`; the bytes of a `.tgz` or a stream of
 * them; or its files by their paths in the chart's folder, such as `templates/service.yaml`.
 */
export type ChartInput =
  string | URL | Uint8Array | AsyncIterable<Uint8Array> | Readonly<Record<string, string | Uint8Array>>;

export interface ChartInputOptions {
  /**
   * Limits on the size of a chart. Default: Helm's limits of 100 MiB, 5 MiB per file; also 20,000
   * files, a compression ratio of 200, 1,000 charts, and subcharts nested 20 deep.
   */
  chartLimits?: Partial<ChartLimits>;
  /** Folder that symbolic links in the chart must stay inside. Default: the chart's own folder. */
  root?: string;
  /** Cancels loading. */
  signal?: AbortSignal;
}

/**
 * Loads a chart. Throws ChartError; other errors of the file system and errors of the stream are
 * thrown unchanged.
 */
export async function loadChartInput(input: ChartInput, options: ChartInputOptions): Promise<Chart> {
  const limits = { ...defaultChartLimits, ...options.chartLimits };
  const loading = { limits, ...(options.signal && { signal: options.signal }) };
  const archive = (data: Uint8Array) => loadArchive(data, loading);
  if (typeof input === 'string' || input instanceof URL) {
    const path = typeof input === 'string' ? input : fileURLToPath(input);
    if (!(await isDirectory(path))) return archive(await readFile(path));
    return loadDirectory(path, { ...loading, ...(options.root !== undefined && { root: options.root }) });
  }
  if (input instanceof Uint8Array) return archive(input);
  if (isStream(input)) return archive(await bytesOf(input, limits));
  const files = Object.entries(input).map(([name, data]) => ({
    name,
    data: typeof data === 'string' ? toBytes(data) : data,
  }));
  return loadUnpacked(files, loading);
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (!isMissing(error)) throw error;
    const advice = 'pass the path of a chart folder or of a .tgz file';
    throw new ChartError('chart_not_found', `chart ${path} does not exist; ${advice}`, { cause: error });
  }
}

function isStream(input: AsyncIterable<Uint8Array> | object): input is AsyncIterable<Uint8Array> {
  return Symbol.asyncIterator in input;
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
