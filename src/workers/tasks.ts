import type { ChartFile } from '../chart/chart.ts';
import type { ChartContent } from '../chart/load/chart-content.ts';
import type { FoundSecrets, Redactor } from '../redaction/redactor.ts';
import type { Hook } from '../release/hook.ts';
import type { Release } from '../release/release.ts';
import type { CrdManifest, ReleaseRenderRequest, ReleaseValues, RenderedRelease } from '../render/release-renderer.ts';
import type { RenderInput } from '../render/render-request.ts';
import type { LookupKey, LookupResults } from '../render/scope/lookup-table.ts';
import type { ReadOptions } from '../source/chart-reader.ts';
import type { IndexedChart, IndexQuery } from '../source/repository/find-chart.ts';

/** Input of a task that fails with `large_text` if its output is large and must not be. */
type Sized<Input> = Input & { mayBeLarge: boolean };

/** Tasks of a thread that reads texts from strangers. */
export interface WorkerTasks {
  readArchive: { input: Sized<{ archive: Uint8Array } & ReadOptions>; output: ChartContent };
  readFolder: { input: Sized<{ folder: string; root: string } & ReadOptions>; output: ChartContent };
  addFiles: { input: Sized<{ chart: ChartContent; files: readonly ChartFile[] }>; output: ChartContent };
  findChart: { input: { index: Uint8Array; query: IndexQuery }; output: IndexedChart };
  /** Sends the objects of each file in parts. */
  crds: { input: Sized<{ chart: ChartContent; values: ReleaseValues }>; output: CrdSummary[] };
  render: { input: Sized<ReleaseRenderTask>; output: ReleaseRenderReply };
  splitFiles: { input: { files: ReadonlyMap<string, string>; hideSecrets: boolean }; output: SplitManifest };
  /** Sends the objects in parts. */
  readObjects: { input: Sized<{ manifest: string; prefix: string }>; output: undefined };
  encodeRelease: { input: { release: Release }; output: string };
  decodeRelease: { input: Sized<{ encoded: string }>; output: Release };
  decodeHelm2Release: { input: Sized<{ encoded: string }>; output: Release };
  findSecrets: { input: Sized<Parameters<Redactor['findSecrets']>[0]>; output: FoundSecrets };
  redact: { input: { texts: readonly string[]; secrets: readonly string[] }; output: string[] };
}

/** A CRD file, and how many of the objects that were sent are in it. */
export type CrdSummary = Omit<CrdManifest, 'objects'> & { objectCount: number };

/** One pass over the templates of a chart. */
export interface ReleaseRenderTask extends Pick<ReleaseRenderRequest, 'chart' | 'values' | 'release' | 'options'> {
  capabilities: RenderInput['capabilities'];
  /** Objects that earlier passes looked up. Default: lookups find nothing. */
  lookups?: LookupResults;
  /** Whether to return the files for a post-renderer instead of a manifest. */
  forPostRender: boolean;
  hideSecrets: boolean;
  includeCrds: boolean;
  resolvesHosts: boolean;
}

/** The parts of a release that do not depend on how its files are split. */
type ChartParts = Omit<RenderedRelease, 'manifest' | 'manifestCount' | 'hooks'>;

export interface SplitManifest {
  manifest: string;
  manifestCount: number;
  hooks: Hook[];
}

export type ReleaseRenderReply =
  /** Templates looked up these objects: render again with the results. */
  | { type: 'missing'; lookups: LookupKey[] }
  | { type: 'files'; parts: ChartParts; files: ReadonlyMap<string, string> }
  | { type: 'rendered'; release: RenderedRelease };
