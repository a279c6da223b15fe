import type { Host } from '../go/host.ts';
import type { Cluster } from '../objects/cluster.ts';

/** Returns the time in milliseconds since the Unix epoch. */
export function epochMilliseconds(host: Pick<Host, 'now'>): number {
  return Number(host.now() / 1_000_000n);
}

/**
 * Returns the milliseconds by which the API server's clock is ahead of the own one, which is
 * negative if it is behind. 0 as long as its responses do not show that they differ.
 */
export function clockOffset({
  host,
  cluster,
}: {
  host: Pick<Host, 'now'>;
  cluster?: Pick<Cluster, 'serverTime'>;
}): number {
  const now = epochMilliseconds(host);
  const { earliest, latest } = cluster?.serverTime() ?? { earliest: now, latest: now };
  return Math.min(Math.max(now, earliest), latest) - now;
}

/** Returns the time by the API server's clock, in milliseconds since the Unix epoch. */
export function serverMilliseconds(context: Parameters<typeof clockOffset>[0]): number {
  return epochMilliseconds(context.host) + clockOffset(context);
}
