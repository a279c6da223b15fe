import type { Dispatcher } from 'undici';
import type { ChartReader } from './chart-reader.ts';

/** Waits for a turn, or rejects with the reason of the signal. */
export type WaitForTurn = (signal: AbortSignal) => Promise<void>;

const mebibyte = 1024 * 1024;

export const defaultDownloadSettings = {
  timeoutMs: 120_000,
  maxIndexBytes: 32 * mebibyte,
  maxArchiveBytes: 100 * mebibyte,
} as const;

/** Bytes up to which a download does not wait for a turn. */
export const smallDownloadBytes = 8 * mebibyte;

/** How charts are downloaded from repositories, registries and URLs. */
export interface DownloadSettings {
  readonly dispatcher: Dispatcher | undefined;
  /** Time limit of each download, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxIndexBytes: number;
  readonly maxArchiveBytes: number;
  readonly reader: ChartReader;
  /** Waits until the calling command may have large texts in memory. Default: it may at once. */
  readonly waitForTurn?: WaitForTurn | undefined;
  /** Whether to access OCI registries over HTTP without TLS. */
  readonly plainHttp: boolean;
  /** Called if another version than the requested one was selected. */
  readonly onWarning: ((message: string, attributes: Readonly<Record<string, string>>) => void) | undefined;
  /** Called with the reference of a pulled chart and the digest of its manifest. */
  readonly onPulled: ((reference: string, digest: string) => void) | undefined;
}
