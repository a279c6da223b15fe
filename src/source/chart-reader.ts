import type { ChartFile } from '../chart/chart.ts';
import { type ChartLimits, defaultChartLimits } from '../chart/limits.ts';
import { type ChartContent, chartMemory, contentOf } from '../chart/load/chart-content.ts';
import { loadUnpacked, readArchiveFiles } from '../chart/load/load-archive.ts';
import { readDirectoryFiles } from '../chart/load/load-directory.ts';
import { findChart, type IndexedChart, type IndexQuery } from './repository/find-chart.ts';
import type { CosignResult, CosignTask } from './verification/verify-cosign.ts';
import type { ProvenanceResult, ProvenanceTask } from './verification/verify-provenance.ts';

export interface ReadOptions {
  /** Whether dependencies of the chart may be missing. Default: a reader may refuse that. */
  mayBeIncomplete?: boolean | undefined;
}

/**
 * Reads the texts that a chart source downloads. They come from strangers, so the agent reads them
 * in threads. Errors have the codes of `ChartError` and `SourceError`.
 */
export interface ChartReader {
  /** Unpacks an archive and checks that it holds a chart. */
  readArchive(archive: Uint8Array, signal: AbortSignal, options?: ReadOptions): Promise<ChartContent>;
  /** Reads a folder, whose links must not lead out of `root`, and checks that it holds a chart. */
  readFolder(folder: string, root: string, signal: AbortSignal, options?: ReadOptions): Promise<ChartContent>;
  /** Returns a chart with further files, and checks it. */
  addFiles(chart: ChartContent, files: readonly ChartFile[], signal: AbortSignal): Promise<ChartContent>;
  /** Finds a chart in the index of a repository. */
  findChart(index: Uint8Array, query: IndexQuery, signal: AbortSignal): Promise<IndexedChart>;
  /** Verifies the signatures of cosign for a manifest. */
  verifyCosign(task: CosignTask, signal: AbortSignal): Promise<CosignResult>;
  /** Verifies the provenance file of an archive. */
  verifyProvenance(task: ProvenanceTask, signal: AbortSignal): Promise<ProvenanceResult>;
}

/**
 * Returns a reader that works in the calling thread.
 * @param most bytes above which the files of a chart are not read: reading throws an error whose
 *   cause is `MemoryFullError`
 */
export function createChartReader(limits: ChartLimits = defaultChartLimits, most = Infinity): ChartReader {
  const memory = () => chartMemory(limits, most);
  return {
    async readArchive(archive, signal) {
      const files = await readArchiveFiles(archive, { limits, signal, allocate: memory() });
      return contentOf(await loadUnpacked(files, { limits, signal }), files);
    },
    async readFolder(folder, root, signal) {
      const files = await readDirectoryFiles(folder, { root, limits, signal, allocate: memory() });
      return contentOf(await loadUnpacked(files, { limits, signal }), files);
    },
    async addFiles(chart, added, signal) {
      const files = [...chart.files, ...added];
      return contentOf(await loadUnpacked(files, { limits, signal }), files);
    },
    findChart: (index, query) => {
      const text = Buffer.from(index.buffer, index.byteOffset, index.byteLength).toString();
      return Promise.resolve(findChart(text, query));
    },
    async verifyCosign(task) {
      const { verifyCosign } = await import('./verification/verify-cosign.ts');
      return await verifyCosign(task);
    },
    async verifyProvenance(task) {
      const { verifyProvenance } = await import('./verification/verify-provenance.ts');
      return await verifyProvenance(task);
    },
  };
}
