import { z } from 'zod';

const MILLISECONDS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const GO_DURATION = /^\+?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

const LONGEST = 7 * 24 * 3_600_000;

/** The milliseconds of a duration as Go writes it, such as `5m0s` or `1.5h`; undefined where it is none. */
function parseGoDuration(text: string): number | undefined {
  if (!GO_DURATION.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(PART)) sum += Number(amount) * (MILLISECONDS[unit ?? ''] ?? 0);
  return sum;
}

/** A time limit on the wire: a Go duration, or a number of seconds. Read as milliseconds. */
export const timeoutSchema = z.union([z.string(), z.number()]).transform((input, context) => {
  const milliseconds = typeof input === 'number' ? input * 1000 : parseGoDuration(input);
  if (milliseconds === undefined || !(milliseconds > 0) || milliseconds > LONGEST) {
    context.addIssue({
      code: 'custom',
      message: 'must be a duration such as 5m0s, or a number of seconds, of more than 0 and at most 168h',
    });
    return z.NEVER;
  }
  return milliseconds;
});
