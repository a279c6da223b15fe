import type { Host } from '../../go/host.ts';
import { loadZone, utc, type Zone } from '../../go/time-zone.ts';

/** The host's time zone as Go has it; UTC where there is none of that name. */
export function localZone({ timeZone }: Host): Zone {
  const zone = loadZone(timeZone) ?? utc;
  return zone === utc ? utc : { ...zone, name: 'Local' };
}
