import * as z from 'zod';
import { parseJson } from '../../protocol/json.ts';

/** Where the replica that leads accepts the connections that others relay to it. */
export interface LeaderPlace {
  host: string;
  port: number;
  /** Known to the replicas alone. Each leader has a new one. */
  secret: string;
}

const placeSchema = z.object({
  host: z.string().min(1).max(253),
  port: z.int().min(1).max(65_535),
  secret: z.string().min(32).max(128),
});

/** Returns the place in a text of the database; undefined if it has none. */
export function readLeaderPlace(text: string): LeaderPlace | undefined {
  try {
    return placeSchema.parse(parseJson(text));
  } catch {
    return undefined; // a newer version has written it
  }
}

/** Whether two places are of the same leader. */
export function isSameLeader(one: LeaderPlace | undefined, other: LeaderPlace | undefined): boolean {
  return one?.secret === other?.secret;
}
