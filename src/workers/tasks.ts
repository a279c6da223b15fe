import type { ChartFile } from '../chart/chart.ts';
import type { ChartContent } from '../chart/load/chart-content.ts';
import type { FoundSecrets, Redactor } from '../redaction/redactor.ts';
import type { Release } from '../release/release.ts';
import type {
  CrdManifest,
  NamespacedImageRules,
  ReleaseInput,
  ReleaseSettings,
  ReleaseValues,
  RenderedRelease,
  SecretValues,
  ValuesSource,
} from '../render/release-renderer.ts';
import type { RenderPass } from '../render/render-input.ts';
import type { PassLookups, PassReply } from '../render/render-passes.ts';
import type { ReadOptions } from '../source/chart-reader.ts';
import type { IndexedChart, IndexQuery } from '../source/repository/find-chart.ts';
import type { CosignResult, CosignTask } from '../source/verification/verify-cosign.ts';
import type { ProvenanceResult, ProvenanceTask } from '../source/verification/verify-provenance.ts';

/** Input of a task that fails with `large_text` if its output is large and must not be. */
type Sized<Input> = Input & { mayBeLarge: boolean };

/** Tasks of a thread that reads texts from strangers. */
export interface WorkerTasks {
  readArchive: { input: Sized<{ archive: Uint8Array } & ReadOptions>; output: ChartContent };
  readFolder: { input: Sized<{ folder: string; root: string } & ReadOptions>; output: ChartContent };
  addFiles: { input: Sized<{ chart: ChartContent; files: readonly ChartFile[] }>; output: ChartContent };
  findChart: { input: { index: Uint8Array; query: IndexQuery }; output: IndexedChart };
  verifyCosign: { input: CosignTask; output: CosignResult };
  verifyProvenance: { input: ProvenanceTask; output: ProvenanceResult };
  /** Sends the objects of each file in parts. */
  crds: { input: Sized<{ chart: ChartContent; values: ReleaseValues }>; output: CrdSummary[] };
  /** Runs one pass. */
  render: { input: Sized<ReleaseTask & PassLookups>; output: PassReply<RenderedRelease | UnsplitRelease> };
  splitFiles: { input: { files: ReadonlyMap<string, string>; hideSecrets: boolean }; output: SplitManifest };
  /** Sends the objects in parts. */
  readObjects: { input: Sized<{ manifest: string; prefix: string }>; output: undefined };
  rewriteImages: { input: { manifests: readonly string[]; rules: NamespacedImageRules }; output: string[] };
  secretValues: { input: { sources: readonly ValuesSource[] }; output: SecretValues };
  encodeRelease: { input: { release: Release }; output: string };
  decodeRelease: { input: Sized<{ encoded: string }>; output: Release };
  decodeHelm2Release: { input: Sized<{ encoded: string }>; output: Release };
  findSecrets: { input: Sized<Parameters<Redactor['findSecrets']>[0]>; output: FoundSecrets };
  redact: { input: { texts: readonly string[]; secrets: readonly string[] }; output: string[] };
}

/** A CRD file, and how many of the objects that were sent are in it. */
export type CrdSummary = Omit<CrdManifest, 'objects'> & { objectCount: number };

/** Input and settings of a render for a release, as plain data. */
export interface ReleaseTask
  extends Pick<ReleaseInput, 'chart' | 'values' | 'release'>, Pick<ReleaseSettings, 'options'> {
  capabilities: RenderPass['capabilities'];
  hideSecrets: boolean;
  includeCrds: boolean;
  /** Whether to return the files for a post-renderer instead of a manifest. */
  forPostRender: boolean;
}

export type SplitManifest = Pick<RenderedRelease, 'manifest' | 'manifestCount' | 'hooks'>;

/** A release whose files are not split yet. */
export type UnsplitRelease = Omit<RenderedRelease, keyof SplitManifest> & { files: ReadonlyMap<string, string> };
