import { fieldAt, integerAt, stringAt } from '../objects/fields.ts';
import type { KubeObject } from '../objects/object.ts';

/** Objects around a workload. May include objects of other workloads. */
export interface RelatedObjects {
  replicaSets: readonly KubeObject[];
  pods: readonly KubeObject[];
  /** Core `v1` events. */
  events: readonly KubeObject[];
  /** EndpointSlices of the Services that webhooks call. Default: none. */
  endpointSlices?: readonly KubeObject[];
}

/** Whether the second object is a direct owner of the first. */
export function isOwnedBy(object: KubeObject, owner: KubeObject): boolean {
  const { uid } = owner.metadata;
  return uid !== undefined && (object.metadata.ownerReferences ?? []).some((reference) => reference.uid === uid);
}

/** Returns the events about an object. */
export function eventsOf(events: readonly KubeObject[], { metadata: { uid } }: KubeObject): KubeObject[] {
  return events.filter((event) => stringAt(event, 'involvedObject', 'uid') === uid);
}

/** Returns events by the uid of the object that they are about. */
export function eventsByObject(events: readonly KubeObject[]): ReadonlyMap<string | undefined, KubeObject[]> {
  return Map.groupBy(events, (event) => stringAt(event, 'involvedObject', 'uid'));
}

/** Returns the newest warning that is accepted, the last one of those with the same time. */
export function newestWarningEvent(
  events: readonly KubeObject[],
  accepts: (reason: string, message: string) => boolean,
): KubeObject | undefined {
  let newest: KubeObject | undefined;
  let newestTime = -Infinity;
  for (const event of events) {
    if (stringAt(event, 'type') !== 'Warning') continue;
    if (!accepts(stringAt(event, 'reason') ?? '', stringAt(event, 'message') ?? '')) continue;
    const time = eventTime(event);
    if (time < newestTime) continue;
    newest = event;
    newestTime = time;
  }
  return newest;
}

/** Returns `REASON: MESSAGE` of an event. */
export function textOfEvent(event: KubeObject): string {
  return `${stringAt(event, 'reason') ?? ''}: ${(stringAt(event, 'message') ?? '').trim()}`;
}

/** Returns how often an event has occurred. */
export function timesSeen(event: KubeObject): number {
  return integerAt(event, 'series', 'count') ?? integerAt(event, 'count') ?? 1;
}

/** Returns when an event has last occurred, in milliseconds since the Unix epoch. */
export function eventTime(event: KubeObject): number {
  const times = [
    fieldAt(event, 'series', 'lastObservedTime'),
    fieldAt(event, 'lastTimestamp'),
    fieldAt(event, 'eventTime'),
    event.metadata.creationTimestamp,
  ];
  const time = times.find((candidate) => typeof candidate === 'string');
  return typeof time === 'string' ? Date.parse(time) || 0 : 0;
}

/** Sorts objects by age, the newest first. */
export function newestFirst(a: KubeObject, b: KubeObject): number {
  return creationTime(b) - creationTime(a);
}

function creationTime({ metadata }: KubeObject): number {
  const time = Date.parse(metadata.creationTimestamp ?? '');
  return Number.isNaN(time) ? 0 : time;
}
