import * as z from 'zod';

/** Version, trace, span and flags. Ids of zeros are not valid. */
const pattern = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** Length of a `traceparent` of version 00. */
const length = 55;

/** The `traceparent` of W3C Trace Context, which names the span that a command is a part of. */
export const traceparentSchema = z
  .string()
  .max(length)
  .regex(pattern, 'must be a traceparent of W3C Trace Context, such as 00-TRACE-SPAN-01');

/** Returns a text if it is a valid `traceparent`. */
export function readTraceparent(text: unknown): string | undefined {
  return typeof text === 'string' ? traceparentSchema.safeParse(text).data : undefined;
}
