import type { Dispatcher } from 'undici';
import type { ChartReader } from './chart-reader.ts';
import type { KeptDownloads } from './disk/kept-downloads.ts';
import type { RequestAttempt } from './http/http-failure.ts';
import type { FoundChart } from './verification/chart-verification.ts';
import type { WaitForTurn } from './wait-for-turn.ts';

const mebibyte = 1024 * 1024;

export const defaultDownloadSettings = {
  timeoutMs: 120_000,
  maxIndexBytes: 32 * mebibyte,
  maxArchiveBytes: 100 * mebibyte,
} as const;

/**
 * Size limit of a chart's signature. It contains the metadata of the chart, and a file of a chart
 * has at most 5 MiB.
 */
export const maxProvenanceBytes = 8 * mebibyte;

/** How charts are downloaded from repositories, registries and URLs. */
export interface DownloadSettings {
  readonly dispatcher: Dispatcher | undefined;
  /** The machine that downloads, for errors. Default: `this machine`. */
  readonly machine?: RequestAttempt['machine'];
  /** Time limit of each download, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxIndexBytes: number;
  readonly maxArchiveBytes: number;
  readonly reader: ChartReader;
  /** Waits until the calling command may have large texts in memory. Default: it may at once. */
  readonly waitForTurn?: WaitForTurn | undefined;
  /** Downloads that are kept on disk. Default: none. */
  readonly kept?: KeptDownloads | undefined;
  /** Whether to access OCI registries over HTTP without TLS. */
  readonly plainHttp: boolean;
  /** Called if another version than the requested one was selected. */
  readonly onWarning: ((message: string, attributes: Readonly<Record<string, string>>) => void) | undefined;
  /** Called with the reference of a pulled chart and the digest of its manifest. */
  readonly onPulled: ((reference: string, digest: string) => void) | undefined;
  /** Called with what is needed to verify the archive, before it is downloaded. */
  readonly onFound?: ((found: FoundChart) => void) | undefined;
}
