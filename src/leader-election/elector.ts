import type { Cluster } from '../objects/cluster.ts';
import { hasClusterErrorCode } from '../objects/cluster-error.ts';
import type { KubeObject, ObjectRef } from '../objects/object.ts';
import { isHeldBy, mayTake, type Observation, observe, releasedRecord, takenRecord } from './candidate.ts';
import { type ElectionTimes, jitterFactor } from './election-times.ts';
import { type LeaseRecord, newLease, recordOf, withRecord } from './lease-record.ts';
import { type Term, TermClock } from './term.ts';

/** The requests that leader election sends. They must not wait behind others. */
type LeaseCluster = Pick<Cluster, 'get' | 'create' | 'replace'>;

/** Time and randomness. */
export interface ElectionClock {
  /** Returns milliseconds of a clock that is never set. */
  monotonic(): number;
  now(): Date;
  /** Resolves after a time to true, or to false when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<boolean>;
  /** Returns numbers from 0 up to 1. */
  random(): number;
}

export interface ElectorOptions {
  cluster: LeaseCluster;
  /** The Lease. */
  ref: ObjectRef;
  /** Labels of the Lease if this process creates it. */
  labels: Readonly<Record<string, string>>;
  /** Identity of this process; each process has another one. */
  identity: string;
  times: ElectionTimes;
  clock: ElectionClock;
  /** Called when the Lease cannot be read or written, once until that succeeds again. */
  onProblem: (error: unknown) => void;
}

/** Competes with the other processes for a Lease, as client-go does. */
export interface Elector {
  /** Identity of the process that led when the Lease was last read. Empty if there was none. */
  readonly leader: string;
  /**
   * Whether attempts are made when they are due. `slack` is the time by which they may be late, in
   * milliseconds.
   */
  isAlive(slack: number): boolean;
  /** Waits until this process leads. Resolves to undefined if the signal aborts before. */
  acquire(signal: AbortSignal): Promise<Term | undefined>;
}

/** An elector by a Lease. Sends nothing until `acquire` is called. */
export class LeaseElector implements Elector {
  readonly #options: ElectorOptions;
  readonly #attemptLimit: number;
  #observation: Observation | undefined;
  #hasProblem = false;
  /** When the attempt or pause that runs should be over. */
  #dueAt = Infinity;

  constructor(options: ElectorOptions) {
    this.#options = options;
    this.#attemptLimit = options.times.renewDeadline / 2;
  }

  get leader(): string {
    return this.#observation?.record.holder ?? '';
  }

  isAlive(slack: number): boolean {
    return this.#options.clock.monotonic() <= this.#dueAt + slack;
  }

  async acquire(signal: AbortSignal): Promise<Term | undefined> {
    const { times, clock } = this.#options;
    for (;;) {
      const takenAt = signal.aborted ? undefined : await this.#attemptWithin(this.#attemptLimit, signal);
      if (takenAt !== undefined) return this.#termFrom(takenAt);
      const period = times.retryPeriod * (1 + clock.random() * jitterFactor);
      if (!(await this.#pause(period, signal))) return undefined;
    }
  }

  #termFrom(takenAt: number): Term {
    const { times, clock } = this.#options;
    const term = new TermClock(times, () => clock.monotonic(), takenAt);
    const renewing = this.#renew(term);
    return {
      signal: term.signal,
      timeLeft: () => term.timeLeft(),
      release: async () => {
        const isOver = term.signal.aborted;
        term.end('it was released');
        await renewing;
        if (!isOver) await this.#release();
      },
    };
  }

  #note(lease: KubeObject, at: number): Observation {
    this.#observation = observe(this.#observation, { lease, record: recordOf(lease), at });
    return this.#observation;
  }

  #leads(): boolean {
    const { identity } = this.#options;
    return this.#observation !== undefined && isHeldBy(this.#observation, identity);
  }

  /** Writes the Lease with the version that was seen. Returns when the request was sent. */
  async #write(record: LeaseRecord, signal: AbortSignal): Promise<number> {
    const { cluster, ref, labels, clock } = this.#options;
    const sentAt = clock.monotonic();
    const written =
      this.#observation === undefined
        ? await cluster.create(newLease(ref, labels, record), { signal })
        : await cluster.replace(withRecord(this.#observation.lease, record), { signal });
    this.#observation = { lease: written, record, at: sentAt };
    return sentAt;
  }

  async #take(signal: AbortSignal): Promise<number> {
    const { identity, times, clock } = this.#options;
    return await this.#write(takenRecord(this.#observation?.record, identity, times, clock.now()), signal);
  }

  /** Returns when the request was sent that took or renewed the Lease; undefined if it was not. */
  async #attempt(signal: AbortSignal): Promise<number | undefined> {
    const { cluster, ref, identity, times, clock } = this.#options;
    if (
      this.#observation !== undefined &&
      this.#leads() &&
      clock.monotonic() < this.#observation.at + times.leaseDuration
    ) {
      try {
        return await this.#take(signal);
      } catch (error) {
        if (signal.aborted) throw error; // otherwise the Lease says what has happened
      }
    }
    const lease = await cluster.get(ref, signal);
    if (lease === undefined) this.#observation = undefined;
    else if (!mayTake(this.#note(lease, clock.monotonic()), identity, clock.monotonic())) return undefined;
    return await this.#take(signal);
  }

  /** Makes an attempt with a time limit. A failure is reported. */
  async #attemptWithin(limit: number, signal: AbortSignal): Promise<number | undefined> {
    const { clock, onProblem } = this.#options;
    const done = new AbortController();
    const late = new AbortController();
    const end = () => late.abort(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    this.#dueAt = clock.monotonic() + limit;
    const timer = clock.sleep(limit, done.signal).then((isOver) => {
      if (isOver) late.abort(new Error('the API server does not respond'));
    });
    try {
      const taken = await this.#attempt(late.signal);
      this.#hasProblem = false;
      return taken;
    } catch (error) {
      if (!signal.aborted && !isContention(error)) {
        if (!this.#hasProblem) onProblem(error);
        this.#hasProblem = true;
      }
      return undefined;
    } finally {
      signal.removeEventListener('abort', end);
      done.abort();
      await timer;
    }
  }

  async #pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#options;
    this.#dueAt = clock.monotonic() + milliseconds;
    return await clock.sleep(milliseconds, signal);
  }

  /** Renews the Lease until the term ends. */
  async #renew(term: TermClock): Promise<void> {
    const { times } = this.#options;
    while (await this.#pause(Math.max(0, Math.min(times.retryPeriod, term.untilDeadline())), term.signal)) {
      const left = term.untilDeadline();
      const renewedAt =
        left > 0 ? await this.#attemptWithin(Math.min(left, this.#attemptLimit), term.signal) : undefined;
      if (renewedAt !== undefined) term.renewed(renewedAt);
      else if (this.#observation !== undefined && !this.#leads()) term.end('another process has taken the Lease');
      else if (term.untilDeadline() <= 0) term.end('the Lease could not be renewed in time');
    }
  }

  /** As in client-go, reads the Lease first, because the answer to a renewal may have been lost. */
  async #release(): Promise<void> {
    const { cluster, ref, identity, clock, onProblem } = this.#options;
    const limit = new AbortController();
    const done = new AbortController();
    const timer = clock.sleep(this.#attemptLimit, done.signal).then((isOver) => {
      if (isOver) limit.abort(new Error('the API server does not respond'));
    });
    try {
      const lease = await cluster.get(ref, limit.signal);
      if (lease === undefined || !isHeldBy(this.#note(lease, clock.monotonic()), identity)) return;
      await this.#write(releasedRecord(recordOf(lease), clock.now()), limit.signal);
    } catch (error) {
      onProblem(error); // others take the Lease when its duration is over
    } finally {
      done.abort();
      await timer;
    }
  }
}

/** Whether another process was faster. */
function isContention(error: unknown): boolean {
  return hasClusterErrorCode(error, 'conflict', 'already_exists');
}
