import { retry, sleep } from '../../async/index.ts';
import type { Cluster, ContainerRef } from '../../objects/cluster.ts';
import { isTemporary } from '../../objects/cluster-error.ts';
import { type ContainerRun, isLogDeleted, type KeptLog, logOfRun } from './container-runs.ts';

export interface ContainerLogOptions {
  cluster: Pick<Cluster, 'followLog'>;
  container: ContainerRef;
  /** Receives each line. The next one is read when it has resolved. */
  onLine: (line: string) => Promise<void>;
  /** Called if a log was deleted before its end was read. */
  onMissing: (message: string) => void;
  signal: AbortSignal;
}

/**
 * Time after which a log is read again if it has ended before its container, in milliseconds. It
 * doubles with each further failure.
 */
const firstPause = 100;

/** Longest of these pauses, in milliseconds. */
const longestPause = 5000;

/** Pauses after failures to read the rest of a log whose run has ended, in milliseconds. */
const lastPauses = [200, 400, 800, 1600, 3200];

/** The log of a container across its restarts. */
export class ContainerLog {
  readonly #options: ContainerLogOptions;
  #newest: ContainerRun | undefined;
  /** Number of the newest run whose log was read. */
  #read = -1;
  /** Time of the last line. */
  #last = '';
  #isGone = false;

  constructor(options: ContainerLogOptions) {
    this.#options = options;
  }

  /** Whether the newest run has ended. */
  get hasEnded(): boolean {
    return this.#isGone || this.#newest?.hasEnded === true;
  }

  /** Notes the newest run; undefined if the pod is gone. Returns whether there is a log to read. */
  see(run: ContainerRun | undefined): boolean {
    this.#newest = run ?? this.#newest;
    this.#isGone = run === undefined;
    return (this.#newest?.run ?? -1) > this.#read;
  }

  /** Reads all runs so far, the newest one until it ends. */
  async read(): Promise<void> {
    for (let newest = this.#newest; newest && newest.run > this.#read; newest = this.#newest) {
      const last = this.#read;
      this.#read = newest.run;
      if (newest.run > last + 1) await this.#readMissed(newest.run, last);
      await this.#follow(newest.run);
    }
  }

  /** Reads the run before, if its log is still there. */
  async #readMissed(run: number, last: number): Promise<void> {
    const isRead = await this.#readRest(run - 1);
    if (!isRead || run > last + 2) this.#reportMissing();
  }

  async #follow(run: number): Promise<void> {
    const { signal } = this.#options;
    const isOver = () => this.hasEnded || this.#newest?.run !== run;
    let failures = 0;
    let isWhole = false;
    while (!isOver()) {
      const before = this.#last;
      try {
        await this.#readLines({ follow: true });
        failures = 0;
        isWhole = true;
      } catch (error) {
        if (!isTemporary(error)) throw error;
        failures = this.#last === before ? failures + 1 : 1;
        isWhole = false;
      }
      // a container ends before its status says so; otherwise the connection has ended
      if (!isOver()) await sleep(Math.min(longestPause, firstPause * 2 ** failures), signal);
    }
    const isRead = await this.#readRest(run);
    if (!isRead && !isWhole) this.#reportMissing();
  }

  /**
   * Reads what was not read when a run ended. To follow it would need a watch of the kubelet, which
   * it may not have. Returns whether the log was still there.
   */
  async #readRest(run: number): Promise<boolean> {
    const { signal } = this.#options;
    let log: KeptLog | undefined;
    const read = async () => {
      log = logOfRun(run, this.#newest);
      if (log !== undefined) await this.#readLines({ previous: log === 'previous' });
      return log !== undefined;
    };
    try {
      const canRetry = (error: unknown) => isTemporary(error) && !isLogDeleted(error, log);
      return await retry(read, { pauses: lastPauses, canRetry, signal });
    } catch (error) {
      if (isLogDeleted(error, log)) return false;
      throw error;
    }
  }

  #reportMissing(): void {
    const { container, onMissing } = this.#options;
    onMissing(`a log of container ${container.container} of pod ${container.name} was deleted before it was read`);
  }

  async #readLines({ previous = false, follow = false }): Promise<void> {
    const { cluster, container, onLine, signal } = this.#options;
    const options = { after: this.#last, previous, follow, signal };
    for await (const { time, text } of cluster.followLog(container, options)) {
      this.#last = time;
      await onLine(text);
    }
  }
}
