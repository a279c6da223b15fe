import * as z from 'zod';

const milliseconds: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

const goDuration = /^\+?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const durationPart = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

const longestMs = 7 * 24 * 3_600_000;

/**
 * Returns the milliseconds of a Go duration such as `5m0s` or `1.5h`, or undefined if the text is
 * not one.
 */
function parseGoDuration(text: string): number | undefined {
  if (!goDuration.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(durationPart)) sum += Number(amount) * (milliseconds[unit ?? ''] ?? 0);
  return sum;
}

const problem = 'must be a duration such as 5m, or a number of seconds, more than 0 and at most 168h';

/** A time limit on the wire: a Go duration, or a number of seconds. Read as milliseconds. */
export const timeoutSchema = z.union([z.string(), z.number()], { error: problem }).transform((input, context) => {
  const duration = typeof input === 'number' ? input * 1000 : parseGoDuration(input);
  if (duration === undefined || !(duration > 0) || duration > longestMs) {
    context.addIssue({ code: 'custom', message: problem });
    return z.NEVER;
  }
  return duration;
});
