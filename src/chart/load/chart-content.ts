import type { Chart, ChartFile } from '../chart.ts';
import type { ChartLimits } from '../limits.ts';
import { missingDependencies, type MissingDependency } from '../metadata/missing-dependencies.ts';
import { createGrowingMemory } from './growing-memory.ts';
import type { Allocate } from './read-file.ts';

/**
 * The files of a chart whose text is not read here: names and bytes only. Readers put the
 * bytes into memory that threads share, so that passing a chart to one costs nothing.
 */
export interface ChartContent {
  /** Name and version in Chart.yaml. */
  readonly name: string;
  readonly version: string;
  /** SHA-256 (hex) of the files. */
  readonly digest: string;
  readonly files: readonly ChartFile[];
  /** The dependencies that are not among the files. Default: none. */
  readonly missing?: readonly MissingDependency[];
  /** The signature of the archive. Default: none was verified. */
  readonly signature?: ChartSignature;
}

/** A signature of a chart's archive that was verified. */
export interface ChartSignature {
  /** Name of the key. */
  readonly by: string;
  readonly scheme: 'provenance' | 'cosign';
  /** Fingerprint of the key. */
  readonly key: string;
  /** Of a signature without a key of its own: who has checked the identity, and the identity. */
  readonly issuer?: string;
  readonly identity?: string;
  /** `sha256:HEX` of what is signed: of the archive, or of the manifest in a registry. */
  readonly digest: string;
}

/**
 * Returns memory for the files of one chart, which threads share.
 *
 * @param most bytes above which it hands out nothing: it throws `MemoryFullError`
 */
export function chartMemory({ chartBytes, fileBytes, entries }: ChartLimits, most = Infinity): Allocate {
  // a file takes a byte more, and the last one may exceed the limit before it is refused
  return createGrowingMemory(Math.min(most, chartBytes + fileBytes + entries + 1)).take;
}

/** Returns the content of a chart that was loaded from these files. */
export function contentOf(chart: Chart, files: readonly ChartFile[]): ChartContent {
  const { metadata, digest } = chart;
  const missing = missingDependencies(chart);
  const { name, version } = metadata;
  return { name, version, digest, files, ...(missing.length > 0 && { missing }) };
}

/** Receives messages that Helm logs as INFO while it loads a chart. */
export type Notice = (message: string, attributes?: Readonly<Record<string, string>>) => void;
