import type { KubeObject, ObjectRef } from '../objects/object.ts';

/** The content of a Lease: who leads. */
export interface LeaseRecord {
  /** Identity of the process. Empty if the last one has released the Lease. */
  holder: string;
  durationSeconds: number;
  /** Times of the holder's clock, for people to read: `2006-01-02T15:04:05.000000Z`. */
  acquireTime: string;
  renewTime: string;
  /** Number of changes of the holder. */
  transitions: number;
}

/** Returns a new Lease with a record. */
export function newLease(
  { namespace = '', name }: ObjectRef,
  labels: Readonly<Record<string, string>>,
  record: LeaseRecord,
): KubeObject {
  const metadata = { namespace, name, labels: { ...labels } };
  return withRecord({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata }, record);
}

/** Returns a Lease with another record. Everything else in it stays, its version included. */
export function withRecord(lease: KubeObject, record: LeaseRecord): KubeObject {
  const { holder, durationSeconds, acquireTime, renewTime, transitions } = record;
  return {
    ...lease,
    spec: {
      holderIdentity: holder,
      leaseDurationSeconds: durationSeconds,
      acquireTime,
      renewTime,
      leaseTransitions: transitions,
    },
  };
}

/** Returns the record of a Lease. Fields that it does not have are empty, as in client-go. */
export function recordOf({ spec }: KubeObject): LeaseRecord {
  const fields = (spec ?? {}) as Record<string, unknown>; // the API server validates the spec of a Lease
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '');
  const count = (name: string) => (typeof fields[name] === 'number' ? fields[name] : 0);
  return {
    holder: text('holderIdentity'),
    durationSeconds: count('leaseDurationSeconds'),
    acquireTime: text('acquireTime'),
    renewTime: text('renewTime'),
    transitions: count('leaseTransitions'),
  };
}

/** Returns a time as a `MicroTime` of Kubernetes. */
export function microTime(time: Date): string {
  return time.toISOString().replace(/(\.\d{3})Z$/, '$1000Z');
}
