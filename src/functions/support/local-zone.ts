import type { Host } from '../../go/host.ts';
import { loadZone, utc, type Zone } from '../../go/time-zone.ts';

/** Returns the host's time zone, named `Local` as in Go. Returns UTC if the zone is unknown. */
export function localZone({ timeZone }: Host): Zone {
  const zone = loadZone(timeZone) ?? utc;
  return zone === utc ? utc : { ...zone, name: 'Local' };
}
