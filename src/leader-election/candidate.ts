import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../objects/object.ts';
import type { ElectionTimes } from './election-times.ts';
import { type LeaseRecord, microTime } from './lease-record.ts';

/** The Lease as a process has last seen it. */
export interface Observation {
  lease: KubeObject;
  record: LeaseRecord;
  /**
   * When the record was first seen, in milliseconds of the local monotonic clock: those of other
   * machines do not matter.
   */
  at: number;
}

/** Returns the observation after a read. A record that has not changed keeps its age. */
export function observe(earlier: Observation | undefined, seen: Observation): Observation {
  const isSame = earlier !== undefined && isDeepStrictEqual(earlier.record, seen.record);
  return isSame ? { ...seen, at: earlier.at } : seen;
}

/** Whether the process with the identity holds the Lease. */
export function isHeldBy({ record }: Observation, identity: string): boolean {
  return record.holder === identity;
}

/**
 * Whether a process may write the Lease: it holds it, it was released, or its holder has not
 * renewed it for the whole duration.
 */
export function mayTake(observation: Observation, identity: string, now: number): boolean {
  const { record, at } = observation;
  return record.holder === '' || isHeldBy(observation, identity) || now >= at + record.durationSeconds * 1000;
}

/** Returns the record with which a process takes the Lease or renews it. */
export function takenRecord(
  earlier: LeaseRecord | undefined,
  identity: string,
  { leaseDuration }: ElectionTimes,
  time: Date,
): LeaseRecord {
  const now = microTime(time);
  const isRenewal = earlier?.holder === identity;
  return {
    holder: identity,
    durationSeconds: leaseDuration / 1000,
    acquireTime: isRenewal ? earlier.acquireTime : now,
    renewTime: now,
    transitions: isRenewal ? earlier.transitions : earlier === undefined ? 0 : earlier.transitions + 1,
  };
}

/** Returns the record with which the holder releases the Lease: others take it at once. */
export function releasedRecord({ transitions }: LeaseRecord, time: Date): LeaseRecord {
  const now = microTime(time);
  return { holder: '', durationSeconds: 1, acquireTime: now, renewTime: now, transitions };
}
