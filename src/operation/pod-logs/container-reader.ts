import { sleep } from '../../async/index.ts';
import { messageOf } from '../../errors/index.ts';
import type { Cluster, ContainerRef } from '../../objects/cluster.ts';
import { isTemporary } from '../../objects/cluster-error.ts';
import type { LogCursor } from '../../protocol/streams/log-records.ts';
import { type ContainerRun, hasNoLog, isLogDeleted, type KeptLog, logOfRun } from '../logs/container-runs.ts';
import { LogLines, type LogPosition, sinceOf } from './log-lines.ts';

/** The part of the log of a container that is read. */
export interface LogSelection {
  /** Number of the last lines. Default: all. */
  tail?: number | undefined;
  /** Time in UTC of the first line, with nanoseconds. Default: that of the log. */
  start?: string | undefined;
  /** Whether lines keep their times. Default: false. */
  timestamps?: boolean | undefined;
  /** Most bytes. Default: all. */
  limitBytes?: number | undefined;
}

export interface ContainerReaderOptions {
  cluster: Pick<Cluster, 'streamLog'>;
  container: ContainerRef;
  /** Uid of the pod. */
  uid: string;
  selection: LogSelection;
  /** Where to continue. Default: at the start of what is selected. */
  cursor?: LogCursor | undefined;
  /**
   * Whether the container started later than the command, which therefore wants all of its runs.
   * Default: false, so that the newest run is the first one.
   */
  isNew?: boolean;
  /** Receives parts of the log. The next one is read when it has resolved. */
  onBytes: (cursor: LogCursor, bytes: Uint8Array) => Promise<void>;
  /** Receives what is missing, or why lines are late. */
  onNotice: (text: string, kind: 'missing' | 'late') => Promise<void>;
  signal: AbortSignal;
  /** Waits for a number of milliseconds. Default: with a timer. */
  wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** Time before a log is read again, in milliseconds. It doubles with each failure. */
const firstPause = 100;
const longestPause = 5000;

/**
 * Number of failures in a row after which a log is not read any more, or after which a notice says
 * so if its run continues.
 */
const maxFailures = 10;

/** Number of times that the log of a later run may be found before the status that says so. */
const maxDoubts = 20;

/** Number of times that a log that ends in the middle of a line is read again, for its rest. */
const maxUnfinished = 3;

/** Reads the log of a container, with a position from which another reader can continue. */
export class ContainerReader {
  readonly #options: ContainerReaderOptions;
  #newest: ContainerRun | undefined;
  /** Number of the newest run whose log was read. Before the first: -1 if all runs are wanted. */
  #read: number | undefined;
  #position: LogPosition;
  /** Number of the run in whose log the position is; undefined before the first line. */
  #positionRun: number | undefined;
  #sent: number;
  #isGone = false;
  /** Whether the present log, which was read last, ended in the middle of a line. */
  #isInLine = false;
  /** Number of times in a row that the position was not in the log that is followed. */
  #doubts = 0;

  constructor(options: ContainerReaderOptions) {
    const { cursor, selection, isNew = false } = options;
    const { start } = selection;
    this.#options = options;
    this.#position = cursor ?? { time: start ?? '', lines: 0, start };
    this.#positionRun = cursor?.run;
    this.#sent = cursor?.sent ?? 0;
    this.#read = cursor ? cursor.run - 1 : isNew ? -1 : undefined;
  }

  /** Whether the newest run has ended. */
  get hasEnded(): boolean {
    return this.#isGone || this.#newest?.hasEnded === true;
  }

  /** Notes the newest run; undefined if the pod is gone. Returns whether there is a log to read. */
  see(run: ContainerRun | undefined): boolean {
    this.#newest = run ?? this.#newest;
    this.#isGone = run === undefined;
    return this.#newest !== undefined && this.#newest.run > (this.#read ?? -1) && !this.#isFull;
  }

  /** Reads the present log once. */
  async readOnce(previous: boolean): Promise<void> {
    const { selection, cursor } = this.#options;
    const tail = cursor === undefined ? selection.tail : undefined;
    await this.#untilRead(() => this.#stream({ previous, tail }), readAgain);
  }

  /** Reads all runs so far, the newest one until it ends. */
  async follow(): Promise<void> {
    for (let run = this.#newest; run && run.run > (this.#read ?? -1) && !this.#isFull; run = this.#newest) {
      const last = this.#read ?? run.run - 1;
      if (this.#read === undefined) await this.#begin(run);
      this.#read = run.run;
      if (run.run > last + 1) await this.#readMissed(run, last);
      await this.#followRun(run);
    }
  }

  /** Reads the last lines that are asked for, and passes on where new ones start. */
  async #begin(run: ContainerRun): Promise<void> {
    const { selection, onBytes } = this.#options;
    const { tail } = selection;
    try {
      if (tail !== undefined)
        await this.#untilRead(
          () => this.#stream({ tail, run: run.run }),
          this.#whileNewest(run.run, 'current', 'fail'),
        );
    } catch (error) {
      // they are not tried again before the next run
      if (!isTemporary(error)) this.#read = run.run;
      throw error;
    }
    await onBytes(this.#cursor(run), Buffer.alloc(0));
  }

  /** Reads the run before, if its log is still there. */
  async #readMissed({ run, hasPrevious }: ContainerRun, last: number): Promise<void> {
    const read = () => this.#streamWhileNewest(run, { previous: true, run: run - 1 });
    const isWhole = hasPrevious && (await this.#untilRead(read, this.#whileNewest(run, 'previous')));
    if (run > last + 2 || isWhole !== true) await this.#noticeMissing('has restarted');
  }

  async #followRun({ run }: ContainerRun): Promise<void> {
    const isOver = () => this.hasEnded || !this.#isNewest(run) || this.#isFull;
    let isWhole = false;
    const read = async () => (isOver() ? isWhole : await this.#streamWhileNewest(run, { follow: true, run }));
    while (!isOver()) {
      const isRead = await this.#untilRead(read, async (error, failures) => {
        if (hasNoLog(error)) return 'end';
        if (!isTemporary(error)) return 'fail';
        isWhole = false;
        if (isOver()) return 'end';
        if (failures === maxFailures) await this.#noticeLate(error);
        return 'again';
      });
      isWhole = isRead ?? isWhole;
      // a container ends before its status says so; otherwise the connection has ended
      if (!isOver()) await this.#pause(0);
    }
    await this.#readRest(run, isWhole);
  }

  /**
   * Reads what was not read when the run ended, until nothing is new: the runtime may write its
   * last lines later, and its last line may have no line break or be read while it is written. To
   * follow them would need a watch of the kubelet, which it may not have.
   */
  async #readRest(run: number, wasWhole: boolean): Promise<void> {
    let isWhole = wasWhole;
    let before: LogPosition | undefined;
    let doubts = 0;
    let unfinished = 0;
    while (!this.#isFull) {
      if (this.#doubts > doubts) await this.#pause(0);
      else if (this.#position === before) {
        if (!this.#isInLine || unfinished >= maxUnfinished) break;
        await this.#pause(unfinished++);
      }
      doubts = this.#doubts;
      const log = logOfRun(run, this.#newest);
      if (log === undefined) break;
      const newest = this.#newest?.run ?? run;
      const previous = log === 'previous';
      before = this.#position;
      const read = () => this.#streamWhileNewest(newest, { run, previous });
      if ((await this.#untilRead(read, this.#whileNewest(newest, log))) === true) isWhole = true;
      // its log is the one before now
      if (!this.#isNewest(newest)) before = undefined;
    }
    if (!isWhole) await this.#noticeMissing('has ended');
  }

  get #isFull(): boolean {
    return this.#sent >= (this.#options.selection.limitBytes ?? Infinity);
  }

  #cursor({ run }: { run: number }): LogCursor {
    const { container, uid, selection } = this.#options;
    return {
      ...{ pod: container.name, container: container.container, uid, run },
      ...this.#position,
      ...(selection.limitBytes !== undefined && { sent: this.#sent }),
    };
  }

  #isNewest(run: number): boolean {
    return (this.#newest?.run ?? run) === run;
  }

  /** Reads a log again while a run is the newest one, unless the log was deleted. */
  #whileNewest(run: number, log: KeptLog, otherwise: 'end' | 'fail' = 'end'): NextStep {
    return (error, failures) => {
      if (isLogDeleted(error, log)) return 'end';
      if (!isTemporary(error)) return 'fail';
      return this.#isNewest(run) ? readAgain(error, failures) : otherwise;
    };
  }

  /**
   * Reads from the present position, and does what `next` returns after a failure. Returns what
   * `read` returns. Undefined: reading has ended with a failure.
   */
  async #untilRead(read: () => Promise<boolean>, next: NextStep): Promise<boolean | undefined> {
    for (let failures = 0; ;) {
      const before = this.#position;
      try {
        return await read();
      } catch (error) {
        failures = this.#position === before ? failures + 1 : 1;
        const step = await next(error, failures);
        if (step === 'fail') throw error;
        if (step === 'end') return undefined;
      }
      await this.#pause(failures);
    }
  }

  async #noticeMissing(event: string): Promise<void> {
    if (this.#isFull) return;
    const { container, onNotice } = this.#options;
    const { container: name, name: pod } = container;
    await onNotice(`container ${name} of pod ${pod} ${event} before its log was read; lines may be missing`, 'missing');
  }

  async #noticeLate(error: unknown): Promise<void> {
    const { container, onNotice } = this.#options;
    await onNotice(`${container.name}/${container.container}: ${messageOf(error)}; trying again`, 'late');
  }

  async #pause(failures: number): Promise<void> {
    const { wait = sleep, signal } = this.#options;
    await wait(Math.min(longestPause, firstPause * 2 ** failures), signal);
  }

  /**
   * Reads unless there is a newer run, whose logs are others. Returns whether the log was read to
   * its end meanwhile.
   */
  async #streamWhileNewest(run: number, options: StreamOptions): Promise<boolean> {
    return this.#isNewest(run) && (await this.#stream(options)) && this.#isNewest(run);
  }

  /**
   * Reads from the present position, which it moves. Returns whether the log was read to its end.
   */
  async #stream({ run, previous = false, follow = false, tail }: StreamOptions): Promise<boolean> {
    const { cluster, container, selection, signal } = this.#options;
    const { timestamps } = selection;
    const position = this.#position;
    this.#isInLine = false;
    const isTail = tail !== undefined && position.lines === 0;
    const lines = new LogLines({ position, startsAtFirst: isTail, timestamps });
    const pass = async (bytes: Buffer) => {
      const left = (selection.limitBytes ?? Infinity) - this.#sent;
      const part = bytes.subarray(0, Math.min(left, bytes.length));
      if (part.length === 0) return;
      this.#position = lines.position;
      this.#positionRun = run ?? 0;
      this.#doubts = 0;
      this.#sent += part.length;
      await this.#options.onBytes(this.#cursor({ run: run ?? 0 }), part);
    };
    /** Whether this is the log of a later run, so that its status is waited for. */
    const isLater = (isElsewhere: boolean) => {
      if (previous || !isElsewhere || this.#positionRun !== run || this.#doubts >= maxDoubts) return false;
      this.#doubts += 1;
      return true;
    };
    const query = { since: sinceOf(position), previous, follow, signal, ...(isTail && { tail }) };
    for await (const chunk of cluster.streamLog(container, query)) {
      const fresh = lines.push(chunk);
      if (isLater(lines.isElsewhere)) return false;
      await pass(fresh);
      if (this.#isFull) return false;
    }
    if (isLater(lines.isUnfound)) return false;
    // a followed log may end in the middle of a line, with an error of the kubelet after it
    if (follow) return !lines.isInLine;
    this.#isInLine = lines.isInLine && !previous;
    await pass(lines.end());
    return true;
  }
}

/** Returns the next step after a read that has failed a number of times in a row. */
type NextStep = (error: unknown, failures: number) => Step | Promise<Step>;
type Step = 'again' | 'end' | 'fail';

/** Reads again after failures that may pass, a limited number of times. */
function readAgain(error: unknown, failures: number): Step {
  return isTemporary(error) && failures <= maxFailures ? 'again' : 'fail';
}

interface StreamOptions {
  /**
   * Number of the run that is read. In its present log, lines of a later one are left out until the
   * status of that arrives. Default: whatever the log has, as number 0.
   */
  run?: number;
  previous?: boolean;
  follow?: boolean;
  tail?: number | undefined;
}
