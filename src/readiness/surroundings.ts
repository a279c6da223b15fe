import { fieldAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';

/** Objects around a workload. May include objects of other workloads. */
export interface Surroundings {
  replicaSets: readonly KubeObject[];
  pods: readonly KubeObject[];
  /** Core `v1` events. */
  events: readonly KubeObject[];
}

/** Whether the second object is a direct owner of the first. */
export function isOwnedBy(object: KubeObject, owner: KubeObject): boolean {
  const { uid } = owner.metadata;
  return uid !== undefined && (object.metadata.ownerReferences ?? []).some((reference) => reference.uid === uid);
}

/** Returns the newest warning about an object that is accepted, as `reason: message`. */
export function newestWarning(
  events: readonly KubeObject[],
  about: KubeObject,
  accepts: (reason: string, message: string) => boolean,
): string | undefined {
  const newest = events
    .filter(
      (event) =>
        stringAt(event, 'type') === 'Warning' &&
        stringAt(event, 'involvedObject', 'uid') === about.metadata.uid &&
        accepts(stringAt(event, 'reason') ?? '', stringAt(event, 'message') ?? ''),
    )
    .sort((a, b) => eventTime(a) - eventTime(b))
    .at(-1);
  return newest && `${stringAt(newest, 'reason') ?? ''}: ${(stringAt(newest, 'message') ?? '').trim()}`;
}

function eventTime(event: KubeObject): number {
  const times = [
    fieldAt(event, 'series', 'lastObservedTime'),
    fieldAt(event, 'lastTimestamp'),
    fieldAt(event, 'eventTime'),
    event.metadata.creationTimestamp,
  ];
  const time = times.find((candidate) => typeof candidate === 'string');
  return typeof time === 'string' ? Date.parse(time) : 0;
}

/** Sorts objects by age, the newest first. */
export function newestFirst(a: KubeObject, b: KubeObject): number {
  return creationTime(b) - creationTime(a);
}

function creationTime({ metadata }: KubeObject): number {
  const time = Date.parse(metadata.creationTimestamp ?? '');
  return Number.isNaN(time) ? 0 : time;
}
