import { localZone } from '../functions/support/local-zone.ts';
import type { Host } from '../go/host.ts';
import { Time } from '../go/time.ts';

/** Returns the current time as Go writes it in JSON: with the offset of the local time zone. */
export function goNow(host: Host): string {
  const zone = localZone(host);
  return new Time(host.now(), zone, zone).format('2006-01-02T15:04:05.999999999Z07:00');
}
