import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, ContainerRef } from '../../objects/cluster.ts';
import { isTemporary } from '../../objects/cluster-error.ts';
import type { ContainerRun } from './container-runs.ts';

export interface ContainerLogOptions {
  cluster: Pick<Cluster, 'followLog'>;
  container: ContainerRef;
  /** Receives each line. The next one is read when it has resolved. */
  onLine: (line: string) => Promise<void>;
  signal: AbortSignal;
}

/**
 * Time after which a log is read again if it has ended before its container, in milliseconds. It
 * doubles with each further failure.
 */
const firstPause = 100;

/** Number of failures in a row after which a log is not read any more. */
const maxFailures = 6;

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
      const isMissing = newest.hasPrevious && newest.run > this.#read + 1;
      this.#read = newest.run;
      if (isMissing) await this.#readLines(true);
      await this.#follow(newest.run);
    }
  }

  async #follow(run: number): Promise<void> {
    const isOver = () => this.hasEnded || this.#newest?.run !== run;
    for (let failures = 0; failures < maxFailures;) {
      try {
        await this.#readLines(false);
        if (isOver()) return;
        failures = 0;
      } catch (error) {
        if (!isTemporary(error)) throw error;
        failures += 1;
      }
      // a container ends before its status says so; otherwise the connection has ended
      await sleep(firstPause * 2 ** failures, undefined, { signal: this.#options.signal });
      if (failures === 0 && isOver()) return;
    }
  }

  async #readLines(previous: boolean): Promise<void> {
    const { cluster, container, onLine, signal } = this.#options;
    for await (const { time, text } of cluster.followLog(container, { after: this.#last, previous, signal })) {
      this.#last = time;
      await onLine(text);
    }
  }
}
