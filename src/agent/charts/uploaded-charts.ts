import { abortable, Semaphore } from '../../async/index.ts';
import type { RateClock } from '../../protocol/streams/least-rate.ts';
import type { KeptFile, KeptFiles } from '../../source/disk/kept-files.ts';
import { openTemporaryFile } from '../../source/disk/temporary-file.ts';
import { SourceError } from '../../source/source-error.ts';
import type { TunnelSource } from '../connection/tunnel-source.ts';
import { receiveChart } from './receive-chart.ts';

/** Number of archives that are received at a time. */
const maxTransfers = 2;

export interface UploadedChartsOptions {
  tunnels: Pick<TunnelSource, 'tunnel'>;
  /** Where archives are kept. */
  files: KeptFiles;
  /** Default: that of the process. */
  clock?: RateClock;
}

/**
 * The charts that were uploaded to the control plane. The agent asks for an archive when a command
 * needs it, and keeps those that were used last on disk.
 */
export class UploadedCharts {
  readonly #options: UploadedChartsOptions;
  readonly #transfers = new Map<string, SharedWork<KeptFile>>();
  readonly #turns = new Semaphore(maxTransfers);

  constructor(options: UploadedChartsOptions) {
    this.#options = options;
  }

  /**
   * Returns the archive with a digest, as `sha256:HEX`. Throws `SourceError`, or the signal's
   * reason.
   */
  async load(digest: string, signal: AbortSignal): Promise<Uint8Array> {
    const { files } = this.#options;
    for (;;) {
      const archive = files.get(digest) ?? (await this.#transfer(digest, signal));
      const bytes = await files.read(digest, archive, signal);
      if (bytes) return bytes;
    }
  }

  /** Receives an archive, once for all commands that need it at the same time. */
  async #transfer(digest: string, signal: AbortSignal): Promise<KeptFile> {
    const known = this.#transfers.get(digest);
    if (known && !known.isGivenUp) return known.wait(signal);
    const transfer = new SharedWork(async (given) => {
      try {
        return await this.#turns.run(() => this.#receive(digest, given), given);
      } finally {
        if (this.#transfers.get(digest) === transfer) this.#transfers.delete(digest);
      }
    });
    this.#transfers.set(digest, transfer);
    return transfer.wait(signal);
  }

  async #receive(digest: string, signal: AbortSignal): Promise<KeptFile> {
    const file = await openTemporaryFile().catch(onDiskError);
    try {
      const { tunnels, clock } = this.#options;
      const archive = { file, bytes: await receiveChart(digest, file, tunnels, signal, clock) };
      this.#options.files.keep(digest, archive);
      return archive;
    } catch (error) {
      await file.close();
      return onDiskError(error);
    }
  }
}

function onDiskError(error: unknown): never {
  if (!(error instanceof Error && 'syscall' in error)) throw error;
  throw new SourceError('repository_failed', `cannot keep the chart on the agent's disk: ${error.message}`);
}

/** Work that several callers wait for, and that ends when all of them have given up. */
class SharedWork<Result> {
  readonly #controller = new AbortController();
  readonly #result: Promise<Result>;
  #callers = 0;

  constructor(start: (signal: AbortSignal) => Promise<Result>) {
    this.#result = start(this.#controller.signal);
    this.#result.catch(() => undefined); // the callers get it
  }

  /** Whether all callers have given up. */
  get isGivenUp(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Resolves with the result. Rejects with the signal's reason if that aborts before. */
  async wait(signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    this.#callers++;
    try {
      return await abortable(this.#result, signal);
    } finally {
      if (--this.#callers === 0) this.#controller.abort(new Error('no command waits for it any more'));
    }
  }
}
