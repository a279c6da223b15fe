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

/** Returns an elector. Sends nothing until `acquire` is called. */
export function createElector(options: ElectorOptions): Elector {
  const { cluster, ref, labels, identity, times, clock, onProblem } = options;
  const attemptLimit = times.renewDeadline / 2;
  let observation: Observation | undefined;
  let hasProblem = false;
  let dueAt = Infinity;

  function note(lease: KubeObject, at: number): Observation {
    observation = observe(observation, { lease, record: recordOf(lease), at });
    return observation;
  }

  function leads(): boolean {
    return observation !== undefined && isHeldBy(observation, identity);
  }

  /** Writes the Lease with the version that was seen. Returns when the request was sent. */
  async function write(record: LeaseRecord, signal: AbortSignal): Promise<number> {
    const sentAt = clock.monotonic();
    const written =
      observation === undefined
        ? await cluster.create(newLease(ref, labels, record), { signal })
        : await cluster.replace(withRecord(observation.lease, record), { signal });
    observation = { lease: written, record, at: sentAt };
    return sentAt;
  }

  async function take(signal: AbortSignal): Promise<number> {
    return await write(takenRecord(observation?.record, identity, times, clock.now()), signal);
  }

  /** Returns when the request was sent that took or renewed the Lease; undefined if it was not. */
  async function attempt(signal: AbortSignal): Promise<number | undefined> {
    if (observation !== undefined && leads() && clock.monotonic() < observation.at + times.leaseDuration) {
      try {
        return await take(signal);
      } catch (error) {
        if (signal.aborted) throw error; // otherwise the Lease says what has happened
      }
    }
    const lease = await cluster.get(ref, signal);
    if (lease === undefined) observation = undefined;
    else if (!mayTake(note(lease, clock.monotonic()), identity, clock.monotonic())) return undefined;
    return await take(signal);
  }

  /** Makes an attempt with a time limit. A failure is reported. */
  async function attemptWithin(limit: number, signal: AbortSignal): Promise<number | undefined> {
    const done = new AbortController();
    const late = new AbortController();
    const end = () => late.abort(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    dueAt = clock.monotonic() + limit;
    const timer = clock.sleep(limit, done.signal).then((isOver) => {
      if (isOver) late.abort(new Error('the API server does not respond'));
    });
    try {
      const taken = await attempt(late.signal);
      hasProblem = false;
      return taken;
    } catch (error) {
      if (!signal.aborted && !isContention(error)) {
        if (!hasProblem) onProblem(error);
        hasProblem = true;
      }
      return undefined;
    } finally {
      signal.removeEventListener('abort', end);
      done.abort();
      await timer;
    }
  }

  async function pause(milliseconds: number, signal: AbortSignal): Promise<boolean> {
    dueAt = clock.monotonic() + milliseconds;
    return await clock.sleep(milliseconds, signal);
  }

  /** Renews the Lease until the term ends. */
  async function renew(term: TermClock): Promise<void> {
    while (await pause(Math.max(0, Math.min(times.retryPeriod, term.untilDeadline())), term.signal)) {
      const left = term.untilDeadline();
      const renewedAt = left > 0 ? await attemptWithin(Math.min(left, attemptLimit), term.signal) : undefined;
      if (renewedAt !== undefined) term.renewed(renewedAt);
      else if (observation !== undefined && !leads()) term.end('another process has taken the Lease');
      else if (term.untilDeadline() <= 0) term.end('the Lease could not be renewed in time');
    }
  }

  /** As in client-go, reads the Lease first, because the answer to a renewal may have been lost. */
  async function release(): Promise<void> {
    const limit = new AbortController();
    const done = new AbortController();
    const timer = clock.sleep(attemptLimit, done.signal).then((isOver) => {
      if (isOver) limit.abort(new Error('the API server does not respond'));
    });
    try {
      const lease = await cluster.get(ref, limit.signal);
      if (lease === undefined || !isHeldBy(note(lease, clock.monotonic()), identity)) return;
      await write(releasedRecord(recordOf(lease), clock.now()), limit.signal);
    } catch (error) {
      onProblem(error); // others take the Lease when its duration is over
    } finally {
      done.abort();
      await timer;
    }
  }

  return {
    get leader() {
      return observation?.record.holder ?? '';
    },
    isAlive: (slack) => clock.monotonic() <= dueAt + slack,

    async acquire(signal) {
      for (;;) {
        const takenAt = signal.aborted ? undefined : await attemptWithin(attemptLimit, signal);
        if (takenAt !== undefined) {
          const term = new TermClock(times, () => clock.monotonic(), takenAt);
          const renewing = renew(term);
          return {
            signal: term.signal,
            timeLeft: () => term.timeLeft(),
            async release() {
              const isOver = term.signal.aborted;
              term.end('it was released');
              await renewing;
              if (!isOver) await release();
            },
          };
        }
        const period = times.retryPeriod * (1 + clock.random() * jitterFactor);
        if (!(await pause(period, signal))) return undefined;
      }
    },
  };
}

/** Whether another process was faster. */
function isContention(error: unknown): boolean {
  return hasClusterErrorCode(error, 'conflict') || hasClusterErrorCode(error, 'already_exists');
}
