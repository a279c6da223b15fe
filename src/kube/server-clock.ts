import type { TimeRange } from '../objects/cluster.ts';

/** The clock of a server, as the `Date` headers of its responses show it. */
export interface ServerClock {
  /** Notes the header of a response. `sent` and `received` are times of the monotonic clock. */
  note(date: string | string[] | undefined, sent: number, received: number): void;
  /** Returns the present time of the server. Undefined before the first response. */
  now(): TimeRange | undefined;
}

/** A header has whole seconds, and may be that much older than its response. */
const resolution = 1000;

/**
 * Returns a clock without responses. Each response narrows its range. If one contradicts the
 * others, the clock was set, and only the newest counts.
 */
export function createServerClock(monotonic: () => number = () => performance.now()): ServerClock {
  /** The range of the difference between the server's clock and the monotonic one. */
  let range: TimeRange | undefined;
  return {
    note(date, sent, received) {
      const time = Date.parse(typeof date === 'string' ? date : '');
      if (Number.isNaN(time)) return;
      const earliest = Math.max(time - received, range?.earliest ?? -Infinity);
      const latest = Math.min(time + resolution - sent, range?.latest ?? Infinity);
      range =
        earliest <= latest ? { earliest, latest } : { earliest: time - received, latest: time + resolution - sent };
    },
    now() {
      const now = monotonic();
      return range && { earliest: now + range.earliest, latest: now + range.latest };
    },
  };
}
