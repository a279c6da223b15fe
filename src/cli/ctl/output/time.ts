import { localZone } from '../../../functions/support/local-zone.ts';
import type { Host } from '../../../go/host.ts';
import { Time, zeroTime } from '../../../go/time.ts';
import { parseJsonTime } from '../../../go/time-parse.ts';
import { utc } from '../../../go/time-zone.ts';

/** Go's layouts. */
const rfc3339 = '2006-01-02T15:04:05Z07:00';
const ansi = 'Mon Jan _2 15:04:05 2006';

/**
 * Reads the time of a release in its own zone, as Go does. Returns undefined if there is no time:
 * agents before this version also send what is not one.
 */
function timeOf(text: string | undefined, host: Host): Time | undefined {
  if (text === undefined || text === '') return undefined;
  // only an offset is compared with the local zone, and Node takes long to find that out
  const local = text.endsWith('Z') ? utc : localZone(host);
  const parsed = parseJsonTime(text, local);
  if (parsed === undefined) return undefined;
  const { seconds, nanoseconds, zone } = parsed;
  const time = new Time(seconds * 1_000_000_000n + BigInt(nanoseconds), zone, local);
  return time.instant === zeroTime().instant ? undefined : time;
}

/** Returns a time of a release; Go's zero time if there is none. */
export function releaseTime(text: string | undefined, host: Host): Time {
  return timeOf(text, host) ?? zeroTime();
}

/** Formats a time like `Mon Jan  2 15:04:05 2006`; Go's zero time if there is none. */
export function ansiTime(text: string | undefined, host: Host): string {
  return releaseTime(text, host).format(ansi);
}

/** Formats a time by a layout of Go, or as Go prints it. Returns `-` if there is none. */
export function listedTime(text: string | undefined, layout: string, host: Host): string {
  const time = timeOf(text, host);
  if (time === undefined) return '-';
  return layout === '' ? time.text() : time.format(layout);
}

/** Formats a time with seconds in RFC 3339; Go's zero time if there is none. */
export function rfc3339Time(text: string | undefined, host: Host): string {
  return releaseTime(text, host).format(rfc3339);
}

/** Whether the text of a release is a time. */
export function hasTime(text: string | undefined, host: Host): boolean {
  return timeOf(text, host) !== undefined;
}
