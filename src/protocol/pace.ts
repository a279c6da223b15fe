import * as z from 'zod';

/** Heartbeat of an agent's connection, and the time in which it comes back after losing it. */
export const paceSchema = z.object({
  heartbeat: z
    .number()
    .describe(
      'Seconds between two pings of the control plane. The agent sends none, and closes a connection on which nothing has arrived for twice as long. Agents take 1 to 120',
    ),
  spread: z
    .number()
    .describe(
      'Seconds over which agents connect again if their connections are lost: each waits a random part of them. Agents take 0 to 60',
    ),
});
export type Pace = z.output<typeof paceSchema>;

/** Bounds in seconds of what an agent obeys, whatever its control plane says. */
const [minHeartbeat, maxHeartbeat] = [1, 120];
const maxSpread = 60;

/** Number of intervals between pings after which a peer that says nothing is dead. */
export const silentIntervals = 2;

/** Returns the pace of a control plane in milliseconds, within the bounds of an agent. */
export function obeyedPace({ heartbeat, spread }: Pace): { silenceLimitMs: number; spreadMs: number } {
  return {
    silenceLimitMs: bounded(heartbeat, minHeartbeat, maxHeartbeat) * silentIntervals * 1000,
    spreadMs: bounded(spread, 0, maxSpread) * 1000,
  };
}

/** Returns the pace for a fleet that is to connect again with a number of agents in a second. */
export function paceOf({
  agents,
  perSecond,
  pingIntervalMs,
}: {
  agents: number;
  perSecond: number;
  pingIntervalMs: number;
}): Pace {
  const spread = bounded(agents / perSecond, 0, maxSpread);
  return { heartbeat: pingIntervalMs / 1000, spread: Math.round(spread * 1000) / 1000 };
}

function bounded(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
