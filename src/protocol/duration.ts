import * as z from 'zod';
import { parseDuration } from '../go/duration.ts';
import { GoError } from '../go/value.ts';
import { tooLong } from './validation.ts';

/** The longest time limit, in milliseconds. */
export const longestTimeout = 168 * 3_600_000;

/** Returns the milliseconds of a Go duration such as `5m0s`; undefined for other texts. */
function parseMilliseconds(text: string): number | undefined {
  try {
    return Number(parseDuration(text)) / 1e6;
  } catch (error) {
    if (error instanceof GoError) return undefined;
    throw error;
  }
}

/** The longest text of a duration, in UTF-16 units. */
export const maxDurationLength = 64;

const problem = 'must be a duration such as 5m, or a number of seconds, more than 0 and at most 168h';

/** Returns what is wrong with a duration. Names the length of a text that is too long. */
export function durationError(text: string): (issue: { input?: unknown }) => string {
  return ({ input }) =>
    typeof input === 'string' && input.length > maxDurationLength ? tooLong(input, maxDurationLength) : text;
}

const wireTime = z.union([z.string().max(maxDurationLength), z.number()], { error: durationError(problem) });

/** A time limit: on the wire a Go duration or a number of seconds, read as milliseconds. */
export const timeoutSchema = z.codec(wireTime, z.number(), {
  decode(input, context) {
    const duration = typeof input === 'number' ? input * 1000 : parseMilliseconds(input);
    if (duration !== undefined && duration > 0 && duration <= longestTimeout) return duration;
    context.issues.push({ code: 'custom', input, message: problem });
    return z.NEVER;
  },
  encode: (milliseconds) => milliseconds / 1000,
});
